import { expect, it } from 'vitest'
import { sql } from '../../../src/storage/engines/sql.ts'
import { ownService } from '../../own-service.ts'
import { keyed } from '../../same-key.ts'

it('sync 2. A replay costs a request, and adds no entry, event or audit line', async () => {
  // With the usual rate limits.
  const { workspace: create, runtime, stop } = await ownService()
  const { api, id } = await create()
  const send = () => api.post('/companies', { name: 'Acme', custom_fields: { icp: true } }, keyed('k'))
  const state = async () => ({
    head: (await api.get('/changes?cursor=now')).body.meta.head,
    audited: await sql`select count(*) as n from audit_log where workspace_id = ${id}`.count(runtime.engine.db),
    // It changes with every write that open pages are told of.
    tag: (await api.get('/companies')).headers.get('etag'),
    total: (await api.get('/companies')).body.meta.total,
  })
  const first = await send()
  const before = await state()
  const again = await send()
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
  expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
  expect(await state()).toEqual(before)
  const left = [first, again].map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
  expect(left).toEqual([59, 58])
  await stop()
})
