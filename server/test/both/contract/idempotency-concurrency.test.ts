import { expect, it } from 'vitest'
import { expireListed } from '../../../src/runtime/retention.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { ownService } from '../../own-service.ts'
import { made } from '../../records.ts'
import { expectOneEffect, keyed, lockCompany } from '../../same-key.ts'
import { newWorkspace } from '../../workspace.ts'

const DAY_MS = 86_400_000

it('sync 2. Idempotency-Key, at the same time: one request does it, the others wait for it and replay it', async () => {
  const { api } = await newWorkspace()
  const match = { field: 'domains', value: 'acme.com' }
  for (const send of [
    () => api.post('/companies', { name: 'Acme' }, keyed('create')),
    () => api.post('/companies/upsert', { name: 'Globex', match }, keyed('upsert')),
  ]) {
    await expectOneEffect(Array.from({ length: 10 }, send))
  }
  expect((await api.get('/companies')).body.meta.total).toBe(2)
})

it('sync 2. Idempotency-Key: writes with keys share commits with others, and a refused one does not affect them', async () => {
  const { api } = await newWorkspace()
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) => {
      const name = index % 5 === 4 ? '' : `Company ${index}`
      // Every third has no key.
      return api.post('/companies', { name }, index % 3 === 0 ? {} : keyed(`${name} ${index}`))
    }),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(48)
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(12)
  expect((await api.get('/companies')).body.meta.total).toBe(48)
})

it('sync 2. Idempotency-Key, at the same time: after 10 s it is 409 {message} with Retry-After: 1', async () => {
  const { workspace: newOwn, runtime, stop } = await ownService()
  const workspace = await newOwn()
  const { id } = await made(workspace.api, 'companies')
  const put = () => workspace.api.put(`/companies/${id}`, { name: 'Two' }, keyed('k'))
  const release = await lockCompany(runtime.engine, workspace.id, id)
  const begun = performance.now()
  const both = [put(), put()]
  // The one that came first has the key, and waits for the company.
  const second = await Promise.race(both)
  const seconds = (performance.now() - begun) / 1000
  expect(second.status).toBe(409)
  expect(second.body).toEqual({ message: expect.any(String) })
  expect(second.headers.get('retry-after')).toBe('1')
  expect(seconds).toBeGreaterThan(9.5)
  await release()
  const first = (await Promise.all(both)).find((answer) => answer !== second)
  const third = await put()
  expect([first?.status, third.status, third.text]).toEqual([200, 200, first?.text])
  await stop()
})

it('sync 2. Idempotency-Key: keys are kept for 24 hours from the first request, and deleted after that', async () => {
  const { workspace: newOwn, runtime, stop } = await ownService()
  const { id, api } = await newOwn()
  const send = (key: string) => api.post('/companies', { name: 'Acme' }, keyed(key))
  const replayed = async (key: string) => (await send(key)).headers.get('idempotent-replayed') === 'true'
  const age = (key: string, ms: number) =>
    sql`update idempotency_keys set created_at = ${new Date(Date.now() - ms).toISOString()}
      where workspace_id = ${id} and key = ${key}`.run(runtime.engine.single)
  const keys = () =>
    sql<string>`select key from idempotency_keys where workspace_id = ${id} order by key`.column(runtime.engine.db)
  for (const key of ['old', 'young', 'again']) expect(await replayed(key)).toBe(false)
  await age('young', DAY_MS - 60_000)
  for (const key of ['old', 'again']) await age(key, DAY_MS + 1000)
  expect(await replayed('young')).toBe(true)
  // A key that has expired is free, also before it is deleted.
  expect([await replayed('again'), await replayed('again')]).toEqual([false, true])
  await expireListed(runtime.engine, new Date())
  expect(await keys()).toEqual(['again', 'young'])
  expect(await replayed('old')).toBe(false)
  await stop()
})
