import { join } from 'node:path'
import { firstIdAt } from '@kith/contract/id'
import { describe, expect, it } from 'vitest'
import { sql } from '../../../src/storage/engines/sql.ts'
import { deleteExpiredChanges } from '../../../src/storage/tables/changes.ts'
import { type Api, apiAt } from '../../api.ts'
import { installation, newFolder } from '../../installation.ts'
import { newWorkspace, runtimeAt, type TestWorkspace } from '../../workspace.ts'

const OLD = '2020-01-01T00:00:00.000Z'
const BEFORE = '2020-01-02T00:00:00.000Z'

async function headOf(api: Api): Promise<string> {
  return (await api.get('/changes?cursor=now')).body.meta.next_cursor
}

async function made(api: Api, name: string): Promise<string> {
  return (await api.post('/people', { name })).body.data.id
}

/** Makes all that has happened so far old, and lets the upkeep delete it. */
async function expireAll({ id, runtime, api }: TestWorkspace): Promise<void> {
  await headOf(api)
  await sql`update changes set at = ${OLD}, latest_at = ${OLD},
    id = ${firstIdAt(Date.parse(OLD)).slice(0, 10)} || substr(id, 11) where workspace_id = ${id}`.run(
    runtime.engine.single,
  )
  while (await deleteExpiredChanges(runtime.engine, id, BEFORE));
}

describe('an expired cursor', () => {
  it('is 410 {message, reason: "expired", oldest_at, resync} if an entry after its position was deleted', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    const cursor = await headOf(api)
    await made(api, 'Ada')
    const between = await headOf(api)
    await expireAll(workspace)
    for (const path of ['/changes', '/people/changes', '/changes/stream']) {
      const { status, body } = await api.get(`${path}?cursor=${cursor}`)
      expect([status, Object.keys(body)], path).toEqual([410, ['message', 'reason', 'oldest_at', 'resync']])
      expect(body).toMatchObject({
        reason: 'expired',
        oldest_at: BEFORE,
        resync: `${api.base}/changes?cursor=start`,
      })
    }
    await made(api, 'Bob')
    const { body: kept } = await api.get(`/changes?cursor=${between}`)
    // The cursor's own age does not matter: it is at the first entry that is kept.
    expect(kept.data).toHaveLength(1)
    expect((await api.get(`/changes?cursor=${cursor}`)).body).toMatchObject({ reason: 'expired', oldest_at: BEFORE })
    // To begin again is always possible.
    expect((await api.get('/changes?cursor=start')).status).toBe(200)
    const { body } = await api.get('/changes?cursor=now')
    expect(body.meta.head).toBe(kept.data[0].attributes.sequence)
  })

  it('sequences go on without a gap when all entries are gone', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    const { body } = await api.get('/changes?cursor=now')
    await expireAll(workspace)
    const cursor = await headOf(api)
    await made(api, 'Ada')
    const after = await api.get(`/changes?cursor=${cursor}`)
    expect(after.body.data[0].attributes.sequence).toBe(body.meta.head + 1)
  })

  it('a snapshot that began before entries expired is 410 at the hand-off, not incomplete', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    await made(api, 'Ada')
    const first = await api.get('/people/changes?cursor=start&limit=1')
    await made(api, 'Bob')
    await expireAll(workspace)
    let cursor = first.body.meta.next_cursor
    let status = 200
    for (let pages = 0; status === 200 && pages < 10; pages++) {
      const answer = await api.get(`/people/changes?cursor=${cursor}&limit=1`)
      status = answer.status
      cursor = answer.body.meta?.next_cursor
      if (status === 200) expect(answer.body.meta.phase).toBe('snapshot')
    }
    expect(status).toBe(410)
  })
})

describe('since', () => {
  it('is 410 if entries from that time on have expired', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    await made(api, 'Ada')
    await expireAll(workspace)
    const { status, body } = await api.get(`/changes?since=${OLD}`)
    expect([status, body.reason, body.resync]).toEqual([410, 'expired', `${api.base}/changes?cursor=start`])
    await made(api, 'Bob')
    const later = await api.get('/changes?cursor=start')
    expect(later.status).toBe(200)
  })

  it('is 410 before the feed began if the workspace is older than its feed, and not in a new workspace', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    const whole = await api.get(`/changes?since=${OLD}&limit=1`)
    expect([whole.status, whole.body.data[0].attributes.sequence]).toEqual([200, 1])
    // As the migration leaves a workspace that was there before it.
    const began = new Date().toISOString()
    const { engine } = workspace.runtime
    await headOf(api)
    await sql`insert into change_heads (workspace_id, complete_from) values (${workspace.id}, ${began})
      on conflict (workspace_id) do update set complete_from = excluded.complete_from`.run(engine.single)
    expect((await api.get(`/changes?since=${OLD}`)).status).toBe(410)
    await made(api, 'Ada')
    expect((await api.get(`/changes?since=${began}`)).status).toBe(200)
  })
})

it('after kith restore every earlier cursor is 410 with reason "restored", and sequences go on from the time', async () => {
  const place = await installation()
  let service = await place.serve()
  const runtime = runtimeAt(place.database.url, place.env.SECRET ?? '')
  const workspace = await newWorkspace({ url: service.url, runtime })
  const { token } = workspace.api
  await made(workspace.api, 'Ada')
  const file = join(newFolder(), 'feed.kith')
  const early = (await workspace.api.get('/changes?since=2020-01-01&limit=1')).body.meta.next_cursor
  const scan = await workspace.api.get('/people?cursor=true')
  expect((await place.kith('backup', file)).code).toBe(0)
  await made(workspace.api, 'Bob')
  const late = await headOf(workspace.api)
  const inSnapshot = (await workspace.api.get('/changes?cursor=start&limit=1')).body.meta.next_cursor
  await runtime.engine.close()
  await service.stop()
  const before = Date.now()
  expect(await place.kith('restore', file, '--replace')).toMatchObject({ code: 0 })
  service = await place.serve()
  const api = apiAt(service.url, token)
  for (const cursor of [early, late, inSnapshot, scan.headers.get('x-changes-cursor')]) {
    const { status, body } = await api.get(`/changes?cursor=${cursor}`)
    expect([status, body.reason, body.resync]).toEqual([410, 'restored', `${api.base}/changes?cursor=start`])
  }
  const { body: now } = await api.get('/changes?cursor=now')
  await made(api, 'Cleo')
  const { body } = await api.get(`/changes?cursor=${now.meta.next_cursor}`)
  const { sequence } = body.data[0].attributes
  expect([body.data.length, sequence === now.meta.head + 1]).toEqual([1, true])
  expect(sequence).toBeGreaterThanOrEqual(before)
  expect(sequence).toBeLessThanOrEqual(Date.now() + 1)
  await service.stop()
})
