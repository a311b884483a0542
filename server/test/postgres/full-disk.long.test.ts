import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished, vi } from 'vitest'
import { checkLedger } from '../faults/check-ledger.ts'
import { newLedger, writeOn } from '../faults/ledger.ts'
import { startService } from '../setup/service.ts'
import { newWorkspace, runtimeAt } from '../workspace.ts'
import { ask } from './server-pair.ts'
import { startSmallDiskServer } from './small-disk-server.ts'

const MEGABYTES = 64
/** As wide as may be, but there: what counts requests must not need room either. */
const limits = { RATE_LIMIT_WORKSPACE: '1000000', RATE_LIMIT_READS: '1000000', RATE_LIMIT_WRITES: '1000000' }

/** Nothing in it can be compressed. */
function largeNote() {
  return { title: 'Large', custom_fields: { body: randomBytes(30_000).toString('hex') } }
}

it('when the disk of PostgreSQL is full, writes get a clear 503, reads go on, nothing is damaged, and with room it writes again', async () => {
  const server = await startSmallDiskServer(MEGABYTES)
  const secret = randomBytes(32).toString('hex')
  const service = await startService({ DATABASE_URL: server.url, SECRET: secret, LOG_LEVEL: 'silent', ...limits })
  onTestFinished(() => void service.process.kill('SIGKILL'))
  const runtime = runtimeAt(server.url, secret)
  const workspace = await newWorkspace({ url: service.url, runtime })
  const { api } = workspace
  const ledger = newLedger()
  await writeOn(api, ledger, 0, () => ledger.answered < 40)
  expect(ledger.wrong).toEqual([])

  await server.fill()
  // What fits into pages that are there already is still written. Then each write is refused in the same clear way, and
  // reads are still answered.
  let refused = 0
  for (let attempt = 0; attempt < 60 && refused < 20; attempt++) {
    const answer = await api.post('/notes', largeNote())
    if (answer.status === 201) continue
    refused++
    expect(answer.status, answer.text).toBe(503)
    expect(answer.body).toEqual({ message: expect.stringMatching(/no space left on the disk that holds the database/) })
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
    const read = await api.get('/companies?per_page=5&sort=name')
    expect(read.status, read.text).toBe(200)
    expect((await api.get(`/companies/${read.body.data[0].id}`)).status).toBe(200)
    expect((await api.post('/companies/query', { filter: { name: { $contains: 'w0' } } })).status).toBe(200)
  }
  expect(refused).toBe(20)
  const unready = await fetch(`${service.url}/readyz`)
  expect([unready.status, (await unready.json()).reason]).toEqual([
    503,
    expect.stringMatching(/^There is no space left on the disk/),
  ])
  const before = ledger.refused
  await writeOn(api, ledger, 1, () => ledger.refused < before + 20)
  expect(ledger.wrong).toEqual([])

  await server.makeRoom()
  await vi.waitFor(async () => expect((await fetch(`${service.url}/readyz`)).status).toBe(200), {
    timeout: 60_000,
    interval: 500,
  })
  expect((await api.post('/notes', largeNote())).status).toBe(201)
  const answered = ledger.answered
  await writeOn(api, ledger, 2, () => ledger.answered < answered + 40)
  expect(ledger.wrong).toEqual([])
  await checkLedger(runtime, workspace, ledger)
  await runtime.engine.close()
  expect(await service.stop()).toBe(0)
  await ask(server.url, 'create extension amcheck')
  const damaged = `select c.relname, d.msg from pg_class c cross join lateral verify_heapam(c.oid) d where c.relkind = 'r'`
  expect(await ask(server.url, damaged)).toEqual([])
  const indexes = `select count(bt_index_check(c.oid, true)) > 0 as checked from pg_class c join pg_am a on a.oid = c.relam
    where c.relkind = 'i' and a.amname = 'btree' and c.relpersistence = 'p'`
  expect(await ask(server.url, indexes)).toEqual([{ checked: true }])
})
