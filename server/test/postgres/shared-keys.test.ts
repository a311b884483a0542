import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Api, apiAt } from '../api.ts'
import { type Installation, installation } from '../installation.ts'
import { inRun } from '../run-length.ts'
import { expectOneEffect, keyed, lockCompany } from '../same-key.ts'
import { newWorkspace, runtimeAt, type TestWorkspace } from '../workspace.ts'

const ROUNDS = inRun({ short: 6, long: 20 })

/** Two processes on one database. */
let place: Installation
let runtime: ReturnType<typeof runtimeAt>
let workspace: TestWorkspace
let both: [Api, Api]

beforeAll(async () => {
  place = await installation('postgres')
  const off = { RATE_LIMIT_WRITES: '0', RATE_LIMIT_WORKSPACE: '0' }
  const nodes = [await place.start(off), await place.start(off)] as const
  runtime = runtimeAt(place.database.url, place.env.SECRET ?? '')
  workspace = await newWorkspace({ url: nodes[0].url, runtime })
  both = [apiAt(nodes[0].url, workspace.api.token), apiAt(nodes[1].url, workspace.api.token)]
})

afterAll(async () => {
  await runtime?.engine.close()
})

it('of requests with one key at two processes at the same time one takes effect, and all get its response', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const key = `create ${round}`
    await expectOneEffect(
      Array.from({ length: 6 }, (_, index) => both[index % 2 ? 1 : 0].post('/companies', { name: key }, keyed(key))),
    )
  }
  expect((await both[0].get('/companies')).body.meta.total).toBe(ROUNDS)
})

/** How many requests wait for the locked company. They have taken their keys before. Upkeep waits for other locks. */
async function waitForCompany(): Promise<number> {
  const { rows } = await runtime.engine.db.session.run(
    `select 1 from pg_stat_activity waiting join pg_stat_activity other on other.pid = any(pg_blocking_pids(waiting.pid))
     where waiting.datname = current_database() and other.query like 'update companies set name = name%'`,
    [],
  )
  return rows.length
}

it('a request waits for one at another process up to 10 s, then it is 409', async () => {
  const { id } = (await both[0].post('/companies', { name: 'One' })).body.data
  const put = (api: Api) => api.put(`/companies/${id}`, { name: 'Two' }, keyed('put'))
  const release = await lockCompany(runtime.engine, workspace.id, id)
  const first = put(both[0])
  await expect.poll(waitForCompany).toBeGreaterThan(0)
  const refused = await put(both[1])
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([409, '1'])
  const waiting = put(both[1])
  await new Promise((resolve) => setTimeout(resolve, 200))
  await release()
  const [done, replayed] = [await first, await waiting]
  expect([done.status, replayed.text]).toEqual([200, done.text])
  expect(replayed.headers.get('idempotent-replayed')).toBe('true')
})
