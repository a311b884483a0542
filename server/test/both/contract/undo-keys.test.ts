import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { apiAt } from '../../api.ts'
import { installation } from '../../installation.ts'
import { isLong } from '../../run-length.ts'
import { newWorkspace, runtimeAt } from '../../workspace.ts'

const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } })

const rows = (count: number) => ({
  operations: Array.from({ length: count }, (_, index) => ({ op: 'create', data: { name: `${index}` } })),
})

describe('additions 1. POST /v1/changes/undo with an Idempotency-Key', () => {
  it('at the same time: both get one response, and every change is undone once', async () => {
    const { api } = await newWorkspace()
    const { body } = await api.post('/companies/batch', rows(150))
    const ids = body.data.map(({ id }: { id: string }) => id)
    const send = () => api.post('/changes/undo', { ids }, keyed('both'))
    const [one, other] = await Promise.all([send(), send()])
    expect([one?.status, one?.text]).toEqual([200, other?.text])
    const deleted = await api.get('/companies/changes?since=2020-01-01&kind=deleted&limit=1000')
    expect(deleted.body.data).toHaveLength(150)
  })

  it.runIf(isLong)('repeated after kill -9 undoes the rest of what the first request named', async () => {
    const { database, env, start } = await installation()
    let service = await start()
    const runtime = runtimeAt(database.url, env.SECRET ?? '')
    const { api } = await newWorkspace({ url: service.url, runtime })
    await runtime.engine.close()
    const made = await api.post('/companies/batch', rows(1000))
    const body = { own: true, since: made.body.data[0].updated_at }
    const sending = api.post('/changes/undo', body, keyed('k')).catch(() => undefined)
    // Some chunks are committed when it dies.
    for (let left = 1000; left === 1000; ) left = (await api.get('/companies?per_page=1')).body.meta.total
    const gone = once(service.process, 'exit')
    service.process.kill('SIGKILL')
    await Promise.all([gone, sending])
    service = await start()
    const after = apiAt(service.url, api.token)
    expect((await after.get('/companies?per_page=1')).body.meta.total % 100).toBe(0)
    // It is no part of the request, although it is in the period.
    const later = (await after.post('/companies', { name: 'Later' })).body.data.id
    const answer = await after.post('/changes/undo', body, keyed('k'))
    expect([answer.status, answer.body.meta]).toEqual([
      200,
      { total: 1000, succeeded: 1000, failed: 0, dry_run: false },
    ])
    expect((await after.get(`/companies/${later}`)).status).toBe(200)
    expect((await after.get('/companies?per_page=1')).body.meta.total).toBe(1)
    expect((await after.post('/changes/undo', body, keyed('k'))).text).toBe(answer.text)
  })
})
