import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { apiAt } from '../../api.ts'
import { installation } from '../../installation.ts'
import { newWorkspace, runtimeAt } from '../../workspace.ts'

const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } })

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ op: 'create', data: { name: `${index}` } }))

describe('sync 2. A batch with an Idempotency-Key', () => {
  it.each([[3], [250]])('of %d operations is carried out once, and replayed byte for byte', async (count) => {
    const { api } = await newWorkspace()
    const body = { operations: [...rows(count), { op: 'create', data: {} }] }
    const first = await api.post('/companies/batch', body, keyed('a'))
    const again = await api.post('/companies/batch', body, keyed('a'))
    expect(first.status).toBe(207)
    expect([again.status, again.text]).toEqual([first.status, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await api.get('/companies')).body.meta.total).toBe(count)
    const other = await api.post('/companies/batch', { ...body, return: 'record' }, keyed('a'))
    expect([other.status, Object.keys(other.body.errors)]).toEqual([422, ['idempotency_key']])
    const broken = await api.post('/companies/batch', { operations: rows(1), what: 1 }, keyed('b'))
    expect(broken.status).toBe(422)
    const atomic = { operations: rows(2), atomic: true }
    const whole = await api.post('/companies/batch', atomic, keyed('b'))
    expect((await api.post('/companies/batch', atomic, keyed('b'))).text).toBe(whole.text)
  })

  it('at the same time: both get one response', async () => {
    const { api } = await newWorkspace()
    const send = () => api.post('/people/batch', { operations: rows(120) }, keyed('both'))
    const [one, other] = await Promise.all([send(), send()])
    expect(one?.text).toBe(other?.text)
    expect((await api.get('/people')).body.meta.total).toBe(120)
  })

  it('repeated after kill -9 carries out the rest and responds as if there had been no crash', async () => {
    const { database, env, start } = await installation()
    let service = await start()
    const secret = env.SECRET ?? ''
    const runtime = runtimeAt(database.url, secret)
    const { api } = await newWorkspace({ url: service.url, runtime })
    await runtime.engine.close()
    const operations = [
      { ...rows(1)[0], lid: 'first' },
      ...rows(998),
      { op: 'update', id: { lid: 'first' }, data: { name: 'end' } },
    ]
    const sending = api.post('/companies/batch', { operations }, keyed('k')).catch(() => undefined)
    // Some chunks are committed when it dies.
    for (let seen = 0; seen === 0; ) seen = (await api.get('/companies?per_page=1')).body.meta.total
    const gone = once(service.process, 'exit')
    service.process.kill('SIGKILL')
    await Promise.all([gone, sending])
    service = await start()
    const after = apiAt(service.url, api.token)
    const kept = (await after.get('/companies?per_page=1')).body.meta.total
    expect(kept % 100).toBe(0)
    const again = await after.post('/companies/batch', { operations }, keyed('k'))
    expect(again.status).toBe(200)
    expect(again.body.data.map((result: { index: number }) => result.index)).toEqual(
      operations.map((_, index) => index),
    )
    expect((await after.get('/companies?per_page=1')).body.meta.total).toBe(999)
    expect(new Set(again.body.data.map((result: { id: string }) => result.id)).size).toBe(999)
    const replayed = await after.post('/companies/batch', { operations }, keyed('k'))
    expect(replayed.text).toBe(again.text)
    await service.stop()
  })
})
