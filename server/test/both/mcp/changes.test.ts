import { beforeAll, describe, expect, it } from 'vitest'
import { withSource } from '../../../src/accounts/workspace.ts'
import { loadSample } from '../../../src/sample/load.ts'
import { connectTo } from '../../tool-client.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

type Entry = { attributes: { kind: string; resource: string; record_id: string; record?: unknown } }

describe('list_changes', () => {
  let workspace: TestWorkspace

  beforeAll(async () => {
    workspace = await newWorkspace()
  })

  const kinds = (data: readonly Entry[]) => data.map(({ attributes }) => `${attributes.resource} ${attributes.kind}`)

  it('returns what has changed since a cursor, each record once', async () => {
    const tools = await connectTo(workspace)
    const { next_cursor: before } = await tools.call('list_changes', { cursor: 'now' })
    const { body } = await workspace.api.post('/companies', { name: 'Acme' })
    await workspace.api.patch(`/companies/${body.data.id}`, { name: 'Acme Inc.' })
    const gone = await workspace.api.post('/tasks', { title: 'Call' })
    await workspace.api.delete(`/tasks/${gone.body.data.id}`)
    const { data, has_more } = await tools.call('list_changes', { cursor: before })
    expect(kinds(data)).toEqual(['companies created', 'tasks deleted'])
    expect(data[0].attributes.record).toMatchObject({ id: body.data.id, attributes: { name: 'Acme Inc.' } })
    expect(data[1].attributes.record).toBeNull()
    expect(has_more).toBe(false)
  })

  it('takes a time, resources, kinds and a limit', async () => {
    const tools = await connectTo(workspace)
    const since = new Date(Date.now() - 3_600_000).toISOString()
    const only = { since, resource: 'companies,tasks', kind: 'created', payload: 'thin', limit: 1 }
    const { data, has_more, next_cursor } = await tools.call('list_changes', only)
    expect(kinds(data)).toEqual(['companies created'])
    expect(data[0].attributes).not.toHaveProperty('record')
    expect(has_more).toBe(true)
    expect(next_cursor).toEqual(expect.any(String))
  })

  it('says what is wrong', async () => {
    const tools = await connectTo(workspace)
    expect(await tools.refused('list_changes', {})).toContain('cursor')
    expect(await tools.refused('list_changes', { cursor: 'now', kind: 'gone' })).toContain('created')
  })
})

describe('list_changes, newest first', () => {
  const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
  const names = ({ data }: { data: { attributes: { record: { attributes: { name: string } } | null } }[] }) =>
    data.map(({ attributes }) => attributes.record?.attributes.name)

  it('lists own changes with the values before, and undo_changes takes their ids', async () => {
    const workspace = await newWorkspace()
    const [tools, other] = [await connectTo(workspace), await connectTo(workspace)]
    const { data: acme } = await tools.call('create_record', { resource: 'companies', attributes: { name: 'Acme' } })
    await other.call('create_record', { resource: 'companies', attributes: { name: 'Else' } })
    const renamed = { resource: 'companies', id: acme.id, attributes: { name: 'Acme Inc.' } }
    await tools.call('update_record', renamed)
    await tools.call('update_record', { ...renamed, attributes: { name: 'Acme Corp.' } })
    const own = await tools.call('list_changes', { own: true })
    expect(own.data.map(({ attributes }: Entry) => attributes.kind)).toEqual(['updated', 'updated', 'created'])
    expect(own).toMatchObject({ has_more: false, next_cursor: null })
    expect(own.data[0]).toMatchObject({
      attributes: {
        changes: [{ field: 'name', before: 'Acme Inc.', after: 'Acme Corp.' }],
        origin: { own: true, actor_name: workspace.owner.name },
        record: { id: acme.id, type: 'companies', attributes: { name: 'Acme Corp.' } },
      },
    })
    const undone = await tools.call('undo_changes', { ids: ids(own).slice(0, 2), dry_run: false })
    expect(undone.data.map(({ status }: { status: number }) => status)).toEqual([200, 200])
    expect((await workspace.api.get(`/companies/${acme.id}`)).body.data.attributes.name).toBe('Acme')
    const after = await tools.call('list_changes', { own: true })
    expect(after.data.map(({ attributes }: Entry) => attributes)).toMatchObject([
      { undo_of: ids(own)[1] },
      { undo_of: ids(own)[0] },
      { undone_by: ids(after)[1] },
      { undone_by: ids(after)[0] },
      { kind: 'created' },
    ])
    expect(names(await other.call('list_changes', { own: true }))).toEqual(['Else'])
  })

  it('lists what a member changed, by ID, email address or me', async () => {
    const workspace = await newWorkspace()
    const user = await workspace.member('member')
    const [tools, theirs] = [await connectTo(workspace), await connectTo(workspace, { user })]
    await tools.call('create_record', { resource: 'companies', attributes: { name: 'Mine' } })
    await theirs.call('create_record', { resource: 'people', attributes: { name: 'Theirs' } })
    for (const actor of [user.id, user.email.toUpperCase()]) {
      expect(names(await tools.call('list_changes', { actor }))).toEqual(['Theirs'])
    }
    expect(names(await tools.call('list_changes', { actor: 'me' }))).toEqual(['Mine'])
    expect(await tools.refused('list_changes', { actor: 'nobody@example.com' })).toMatch(/- actor: .*list_members/)
    expect(await tools.refused('list_changes', { own: true, newest_first: false })).toContain('- newest_first: ')
  })

  it('pages back to a time, and a cursor of the feed is a place in it', async () => {
    const workspace = await newWorkspace()
    const tools = await connectTo(workspace)
    const { next_cursor: place } = await tools.call('list_changes', { cursor: 'now' })
    for (const name of ['A', 'B', 'C', 'D', 'E']) await workspace.api.post('/companies', { name })
    const seen: unknown[] = []
    const since = new Date(Date.now() - 3_600_000).toISOString()
    const asked = { newest_first: true, since, limit: 2, resource: 'companies' }
    for (let cursor: string | undefined; cursor !== null; ) {
      const page = await tools.call('list_changes', { ...asked, cursor })
      seen.push(...names(page))
      expect([page.has_more, page.data.length <= 2]).toEqual([page.next_cursor !== null, true])
      cursor = page.next_cursor
    }
    expect(seen).toEqual(['E', 'D', 'C', 'B', 'A'])
    expect(names(await tools.call('list_changes', { newest_first: true, cursor: place }))).toEqual([])
    expect(names(await tools.call('list_changes', { cursor: place }))).toEqual(['A', 'B', 'C', 'D', 'E'])
    expect(await tools.refused('list_changes', { newest_first: true, cursor: 'start' })).toContain('- cursor: ')
    expect(await tools.refused('list_changes', { newest_first: true, since: 'today' })).toContain('- since: ')
  })

  it('leaves out definitions, members and sample data unless they are asked for', async () => {
    const workspace = await newWorkspace()
    const tools = await connectTo(workspace)
    await loadSample(withSource(await workspace.scope(), 'sample'), { sizes: { companies: 9, people: 9 }, seed: 1 })
    await workspace.field('companies', { name: 'Tier', type: 'text' })
    await workspace.member('member')
    await workspace.api.post('/companies', { name: 'Acme' })
    const since = new Date(Date.now() - 3_600_000).toISOString()
    const start = async (input = {}) => (await tools.call('list_changes', { cursor: 'start', ...input })).data
    for (const order of [{ since }, { newest_first: true }]) {
      expect(names(await tools.call('list_changes', order))).toEqual(['Acme'])
      const sample = await tools.call('list_changes', { ...order, sample: true, limit: 5, payload: 'thin' })
      expect(sample.data).toHaveLength(5)
      const asked = await tools.call('list_changes', { ...order, resource: 'custom_fields,users' })
      const kinds = new Set(asked.data.map(({ attributes }: Entry) => attributes.resource))
      expect([...kinds].sort()).toEqual(['custom_fields', 'users'])
    }
    expect(names({ data: await start() })).toEqual(['Acme'])
    expect((await start({ sample: true, limit: 5 })).length).toBe(5)
  })
})
