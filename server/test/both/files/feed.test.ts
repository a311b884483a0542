import { beforeAll, describe, expect, it } from 'vitest'
import { type Entry, latestCursor, mirrorOf, readFeed } from '../../feed.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { newFile, newRecord } from './files.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await workspaceWithOwn()
})

const shortOf = ({ attributes }: Entry) => `${attributes.resource} ${attributes.kind}`

describe('the feed', () => {
  it('has a change of a file only if files are named; for others sequences skip', async () => {
    const { api } = workspace
    const record = await newRecord(workspace)
    const cursor = await latestCursor(api)
    const file = await newFile(api, record, 'a.txt')
    await api.put(`/files/${file.id}`, { name: 'b.txt' })
    await api.put(`/companies/${record}`, { name: 'Changed' })
    await api.delete(`/files/${file.id}`)
    await api.put(`/files/${file.id}/restore`)
    const all = await readFeed(api, `cursor=${cursor}`)
    expect(all.data.map(shortOf)).toEqual(['companies updated'])
    expect(all.meta.has_more).toBe(false)
    const files = await readFeed(api, `cursor=${cursor}&resource=files`)
    expect(files.data.map(shortOf)).toEqual(['files created', 'files updated', 'files deleted', 'files restored'])
    const { data } = (await api.get(`/files/${file.id}`)).body
    const [created, updated, , restored] = files.data.map(({ attributes }) => attributes)
    expect(created).toMatchObject({ record_id: file.id, changed: [], external_ids: {}, record: data })
    expect(updated).toMatchObject({ changed: ['name'], origin: { source: 'api', own: true } })
    expect(restored).toMatchObject({ at: data.attributes.updated_at })
    // The creation is found under its own id, as for records.
    expect(files.data[0]?.id).toBe(file.id)
    const both = await readFeed(api, `cursor=${cursor}&resource=companies,files&payload=thin`)
    expect(both.data.map(({ attributes }) => attributes.sequence)).toEqual(
      [1, 2, 3, 4, 5].map((n) => n + Number(all.data[0]?.attributes.sequence) - 3),
    )
    const some = await readFeed(api, `cursor=${cursor}&resource=files&fields[files]=name,size`)
    expect(some.data[0]?.attributes.record?.attributes).toEqual({ name: 'b.txt', size: 7 })
    expect((await api.get('/changes?cursor=now&fields[files]=path')).body.errors).toHaveProperty('fields.files')
    expect((await api.get('/changes?cursor=now&resource=file')).body.errors.resource[0]).toContain('files')
  })

  it('has them in a snapshot after the own resources', async () => {
    const { api } = await workspaceWithOwn()
    const companies = (await api.post('/companies', { name: 'A' })).body.data.id
    const projects = (await api.post('/projects', { name: 'P' })).body.data.id
    const files = [await newFile(api, companies, 'a'), await newFile(api, `projects/${projects}`, 'b')]
    const gone = await newFile(api, companies, 'c')
    await api.delete(`/files/${gone.id}`)
    const all = await readFeed(api, 'cursor=start')
    expect(all.data.map(({ attributes }) => attributes.resource)).not.toContain('files')
    for (const limit of [1, 100]) {
      const seen: string[] = []
      for (let cursor: unknown = 'start', phase: unknown = 'snapshot'; phase === 'snapshot'; ) {
        const { data, meta } = await readFeed(api, `cursor=${cursor}&limit=${limit}&resource=files,projects,companies`)
        seen.push(...data.map(({ attributes }) => String(attributes.record_id)))
        cursor = meta.next_cursor
        phase = meta.phase
      }
      expect(seen).toEqual([companies, projects, ...files.map(({ id }) => id)])
    }
    await api.delete('/schema/projects')
    expect([...(await mirrorOf(api, 'files')).keys()]).toEqual([files[0]?.id])
  })

  it.each(testedResources)(
    'keeps a mirror of files equal when one of the %s is deleted, restored and merged',
    async (resource) => {
      const { api } = workspace
      const [winner, loser] = [await newRecord(workspace, resource), await newRecord(workspace, resource)]
      const [own, moved] = [
        await newFile(api, `${resource}/${winner}`, 'a'),
        await newFile(api, `${resource}/${loser}`, 'b'),
      ]
      const deleted = await newFile(api, `${resource}/${loser}`, 'c')
      await api.delete(`/files/${deleted.id}`)
      const listed = async (id: string) => (await api.get(`/${resource}/${id}/files`)).body.data ?? []
      const checkMirror = async (...ids: string[]) => {
        const files = (await Promise.all(ids.map(listed))).flat()
        const copy = await mirrorOf(api, 'files')
        expect([own, moved, deleted].flatMap(({ id }) => copy.get(id) ?? [])).toEqual(
          files.sort((one, other) => (one.id < other.id ? -1 : 1)),
        )
        return files.map(({ attributes }) => [attributes.name, attributes.record_id])
      }
      let cursor = await latestCursor(api)
      await api.delete(`/${resource}/${loser}`)
      expect(await checkMirror(winner)).toEqual([['a', winner]])
      await api.put(`/${resource}/${loser}/restore`)
      expect(await checkMirror(winner, loser)).toEqual([
        ['a', winner],
        ['b', loser],
      ])
      const { data } = await readFeed(api, `cursor=${cursor}&resource=files`)
      expect(data.map(shortOf)).toEqual(['files deleted', 'files restored'])
      cursor = await latestCursor(api)
      const before = (await api.get(`/${resource}/${winner}`)).text
      const merged = await api.put(`/${resource}/${winner}/merge`, { loser_ids: [loser] })
      expect(await checkMirror(winner)).toEqual([
        ['a', winner],
        ['b', winner],
      ])
      // A deleted one moves as well.
      const restored = await api.put(`/files/${deleted.id}/restore`)
      expect(restored.body.data.attributes.record_id).toBe(winner)
      await api.delete(`/files/${deleted.id}`)
      await api.put(`/merges/${merged.body.meta.merge_id}/undo`)
      expect(await checkMirror(winner, loser)).toEqual([
        ['a', winner],
        ['b', loser],
      ])
      expect((await api.put(`/files/${deleted.id}/restore`)).body.data.attributes.record_id).toBe(loser)
      const moves = (await readFeed(api, `cursor=${cursor}&resource=files&kind=updated`)).data
      expect(moves.map(({ attributes }) => [attributes.record_id, attributes.changed])).toEqual([
        [moved.id, ['record_id']],
        [moved.id, ['record_id']],
      ])
      expect((await api.get(`/${resource}/${winner}`)).text).toBe(before)
    },
  )

  it('keeps what was added to the winner after a merge there', async () => {
    const { api } = workspace
    const [winner, loser] = [await newRecord(workspace), await newRecord(workspace)]
    const merged = await api.put(`/companies/${winner}/merge`, { loser_ids: [loser] })
    await newFile(api, winner, 'later')
    await api.put(`/merges/${merged.body.meta.merge_id}/undo`)
    expect((await api.get(`/companies/${winner}/files`)).body.meta.total).toBe(1)
    expect((await api.get(`/companies/${loser}/files`)).body.meta.total).toBe(0)
  })
})

describe('webhooks', () => {
  it('take the events of files, which are not among *', async () => {
    const { api } = await newWorkspace()
    const url = 'https://example.com/hook'
    const made = await api.post('/webhooks', { url, types: ['files.created', 'files.*', '*'] })
    expect(made.status, made.text).toBe(201)
    const refused = await api.post('/webhooks', { url, types: ['file.created'] })
    expect(refused.body.errors['types.0'][0]).toContain('files')
  })
})
