import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { placesInDatabase } from '../../src/limits/places.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { now } from '../both/changes/feed.ts'
import { ownService } from '../own-service.ts'
import { startService } from '../setup/service.ts'

const limits = { RATE_LIMIT_WRITES: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WORKSPACE: '0' }

it('at most 10 requests of a token wait at all nodes together, and those of a node that was killed are forgotten', async () => {
  const one = await ownService(limits)
  const two = await startService({ ...one.env, ...limits })
  const workspace = await one.workspace()
  const { engine } = one.runtime
  const cursor = await now(workspace)
  const ending = new AbortController()
  const wait = (url: string, signal = ending.signal) =>
    fetch(`${url}/api/v1/changes?cursor=${cursor}&wait=30`, {
      headers: { Authorization: `Bearer ${workspace.api.token}` },
      signal,
    }).catch(() => undefined)
  const taken = () => sql`select count(*) from places where key = ${`waiting ${workspace.id}`}`.count(engine.db)
  const until = async (count: number) => {
    while ((await taken()) !== count) await setTimeout(20)
  }
  const first = new AbortController()
  wait(one.url, first.signal)
  for (let more = 1; more < 6; more++) wait(one.url)
  for (let more = 0; more < 4; more++) wait(two.url)
  await until(10)
  for (const url of [one.url, two.url]) {
    const refused = await wait(url)
    expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([429, '5'])
  }
  // A place that becomes free at one node is free at the other.
  first.abort()
  await until(9)
  wait(two.url)
  await until(10)
  const exited = once(two.process, 'exit')
  two.process.kill('SIGKILL')
  await exited
  const left = sql<number>`select max(extract(epoch from until - clock_timestamp()))::int from places
    where key = ${`waiting ${workspace.id}`}`
  expect(await left.value(engine.db)).toBeLessThanOrEqual(30)
  // What is kept no longer is free after that time.
  const mine = sql`update places set until = clock_timestamp() where key = ${`waiting ${workspace.id}`}`
  await mine.run(engine.single)
  wait(one.url)
  await until(1)
  ending.abort()
  await until(0)
  await one.stop()
})

it('the places of two nodes count together, by token and by workspace, and are kept for as long as they are used', async () => {
  const { runtime, stop } = await ownService(limits)
  const failures: unknown[] = []
  const nodes = [0, 1].map(() => placesInDatabase(runtime.engine, (error) => failures.push(error)))
  const most = { per_token: 2, per_workspace: 4 }
  const take = (node: number, holder: string, key = 'exports w') => {
    const store = nodes[node]
    if (!store) throw new Error('There are two nodes.')
    return store.take({ key, holder }, most)
  }
  // All at once: none of them may count the others too late.
  const taken = await Promise.all([0, 1, 0, 1, 0, 1].map((node) => take(node, 'a')))
  expect(taken.filter((one) => one === 'token')).toHaveLength(4)
  const [free] = taken.filter((one) => typeof one === 'function')
  expect(await Promise.all([take(0, 'b'), take(1, 'b')])).toEqual([expect.any(Function), expect.any(Function)])
  expect(await take(0, 'c')).toBe('workspace')
  expect(await take(1, 'c', 'exports other')).toEqual(expect.any(Function))
  free?.()
  free?.()
  const again = async () => typeof (await take(1, 'a')) === 'function'
  while (!(await again())) await setTimeout(20)
  expect(await take(0, 'a')).toBe('token')
  expect(failures).toEqual([])
  await stop()
})
