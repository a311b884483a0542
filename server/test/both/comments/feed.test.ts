import { beforeAll, describe, expect, it } from 'vitest'
import { type Entry, latestCursor, mirrorOf, readFeed } from '../../feed.ts'
import { workspaceWithOwn } from '../../own-resource.ts'
import { testedResources } from '../../run-length.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'
import { newFile, newRecord } from '../files/files.ts'
import { newComment } from './comments.ts'

let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await workspaceWithOwn()
})

const kindsOf = (data: Entry[]) => data.map(({ attributes }) => attributes.kind)

describe('the feed', () => {
  it('has a change of a comment only if comments are named; for others sequences skip', async () => {
    const { api } = workspace
    const record = await newRecord(workspace)
    const cursor = await latestCursor(api)
    const comment = await newComment(api, record, 'a')
    await api.put(`/comments/${comment.id}`, { body: 'b' })
    await api.delete(`/comments/${comment.id}`)
    await api.put(`/comments/${comment.id}/restore`)
    const all = await readFeed(api, `cursor=${cursor}`)
    expect([all.data, all.meta.has_more]).toEqual([[], false])
    const { data: entries } = await readFeed(api, `cursor=${cursor}&resource=comments`)
    expect(kindsOf(entries)).toEqual(['created', 'updated', 'deleted', 'restored'])
    const { data } = (await api.get(`/comments/${comment.id}`)).body
    expect(entries[0]?.id).toBe(comment.id)
    expect(entries[0]?.attributes).toMatchObject({ record_id: comment.id, external_ids: {}, record: data })
    expect(entries[1]?.attributes).toMatchObject({ changed: ['body'], origin: { source: 'api', own: true } })
    expect(entries[3]?.attributes).toMatchObject({ at: data.attributes.updated_at })
    const some = await readFeed(api, `cursor=${cursor}&resource=comments&fields[comments]=body,mentions`)
    expect(some.data[0]?.attributes.record?.attributes).toEqual({ body: 'b', mentions: [] })
    expect((await api.get('/changes?cursor=now&fields[comments]=text')).body.errors).toHaveProperty('fields.comments')
    const values = await readFeed(api, `cursor=${cursor}&resource=comments&payload=diff&kind=updated`)
    expect(values.data[0]?.attributes.changes).toEqual([{ field: 'body', before: 'a', after: 'b', truncated: false }])
  })

  it('has them in a snapshot after the own resources and the files', async () => {
    const { api } = await workspaceWithOwn()
    const company = await newRecord({ api })
    const project = await newRecord({ api }, 'projects')
    const comments = [await newComment(api, company), await newComment(api, `projects/${project}`)]
    const file = await newFile(api, company)
    await api.delete(`/comments/${(await newComment(api, company)).id}`)
    const all = await readFeed(api, 'cursor=start')
    expect(all.data.map(({ attributes }) => attributes.resource)).not.toContain('comments')
    for (const limit of [1, 100]) {
      const seen: string[] = []
      for (let cursor: unknown = 'start', phase: unknown = 'snapshot'; phase === 'snapshot'; ) {
        const names = 'resource=comments,projects,files,companies'
        const { data, meta } = await readFeed(api, `cursor=${cursor}&limit=${limit}&${names}`)
        seen.push(...data.map(({ attributes }) => String(attributes.record_id)))
        cursor = meta.next_cursor
        phase = meta.phase
      }
      expect(seen).toEqual([company, project, file.id, ...comments.map(({ id }) => id)])
    }
    await api.delete('/schema/projects')
    expect([...(await mirrorOf(api, 'comments')).keys()]).toEqual([comments[0]?.id])
  })

  it.each(testedResources)(
    'keeps a mirror of comments equal when one of the %s is deleted, restored and merged',
    async (resource) => {
      const { api } = workspace
      const [winner, loser] = [await newRecord(workspace, resource), await newRecord(workspace, resource)]
      const own = await newComment(api, `${resource}/${winner}`, 'own')
      const moved = await newComment(api, `${resource}/${loser}`, 'moved')
      const reply = await newComment(api, `${resource}/${loser}`, 'reply', { reply_to: moved.id })
      const gone = await newComment(api, `${resource}/${loser}`, 'gone')
      await api.delete(`/comments/${gone.id}`)
      const listed = async (id: string) => (await api.get(`/${resource}/${id}/comments`)).body.data ?? []
      const checkMirror = async (...ids: string[]) => {
        const comments = (await Promise.all(ids.map(listed))).flat()
        const copy = await mirrorOf(api, 'comments')
        expect([...copy.values()].filter((one) => comments.some(({ id }) => 'id' in one && one.id === id))).toEqual(
          comments.sort((one, other) => (one.id < other.id ? -1 : 1)),
        )
        for (const { id } of [own, moved, reply, gone]) {
          expect(copy.has(id)).toBe(comments.some((one) => one.id === id))
        }
        return comments.map(({ attributes }) => [attributes.body, attributes.record_id])
      }
      let cursor = await latestCursor(api)
      await api.delete(`/${resource}/${loser}`)
      expect(await checkMirror(winner)).toEqual([['own', winner]])
      await api.put(`/${resource}/${loser}/restore`)
      const apart = [
        ['own', winner],
        ['moved', loser],
        ['reply', loser],
      ]
      expect(await checkMirror(winner, loser)).toEqual(apart)
      const { data } = await readFeed(api, `cursor=${cursor}&resource=comments`)
      expect(kindsOf(data)).toEqual(['deleted', 'deleted', 'restored', 'restored'])
      cursor = await latestCursor(api)
      const before = (await api.get(`/${resource}/${winner}`)).text
      const merged = await api.put(`/${resource}/${winner}/merge`, { loser_ids: [loser] })
      expect(await checkMirror(winner)).toEqual(apart.map(([body]) => [body, winner]))
      // A deleted one moves as well.
      const restored = await api.put(`/comments/${gone.id}/restore`)
      expect(restored.body.data.attributes.record_id).toBe(winner)
      await api.delete(`/comments/${gone.id}`)
      await api.put(`/merges/${merged.body.meta.merge_id}/undo`)
      expect(await checkMirror(winner, loser)).toEqual(apart)
      expect((await api.put(`/comments/${gone.id}/restore`)).body.data.attributes.record_id).toBe(loser)
      const moves = (await readFeed(api, `cursor=${cursor}&resource=comments&kind=updated`)).data
      expect(moves.map(({ attributes }) => [attributes.record_id, attributes.changed])).toEqual(
        [moved, reply, moved, reply].map(({ id }) => [id, ['record_id']]),
      )
      expect((await api.get(`/${resource}/${winner}`)).text).toBe(before)
    },
  )

  it('keeps what was said about the winner after a merge there, but replies follow their comment', async () => {
    const { api } = workspace
    const [winner, loser] = [await newRecord(workspace), await newRecord(workspace)]
    const moved = await newComment(api, loser, 'moved')
    const merged = await api.put(`/companies/${winner}/merge`, { loser_ids: [loser] })
    const later = await newComment(api, winner, 'later')
    const reply = await newComment(api, winner, 'reply', { reply_to: moved.id })
    await api.put(`/merges/${merged.body.meta.merge_id}/undo`)
    const idsOf = async (id: string) =>
      (await api.get(`/companies/${id}/comments`)).body.data.map((one: { id: string }) => one.id)
    expect([await idsOf(winner), await idsOf(loser)]).toEqual([[later.id], [moved.id, reply.id]])
  })
})

describe('webhooks', () => {
  it('take the events of comments, which are not among *', async () => {
    const { api } = await newWorkspace()
    const url = 'https://example.com/hook'
    const made = await api.post('/webhooks', { url, types: ['comments.created', 'comments.*', '*'] })
    expect(made.status, made.text).toBe(201)
    const refused = await api.post('/webhooks', { url, types: ['comment.created'] })
    expect(refused.body.errors['types.0'][0]).toContain('comments')
  })
})
