import { Refusal } from '@kith/contract/refusal'
import { expect, it } from 'vitest'
import { LargeRead } from '../scope/large-work.ts'
import { openEngine } from '../storage/engines/open-engine.ts'
import type { Answer } from './answer.ts'
import type { Call, Lane, V1Request } from './call.ts'
import { openInlineLanes } from './lanes.ts'

/** A list that a member reads in the application. */
function listOf(workspace: string, user: string, lane: Lane = 'short'): Call {
  const facts = {
    workspace: { id: workspace, number: 1, slug: workspace, name: workspace, fields_version: 1 },
    actor: { user_id: user, role: 'member', abilities: ['read'], token_id: null, source: 'web' },
  } as const
  const request: V1Request = {
    handler: 'list',
    id: '',
    params: {},
    path: '',
    query: '',
    method: 'GET',
    resource: 'notes',
    headers: { if_match: null, if_none_match: null, idempotency_key: null },
    body: { text: null, readable: true },
  }
  return { surface: 'v1', request_id: 'r', lane, facts, request }
}

/** Lanes whose short reads all find large rows. Reads run until the test ends them. */
function lanesOfLargeRows(connections: number) {
  const running: { call: Call; end(): void }[] = []
  const execute = async (call: Call): Promise<Answer> => {
    if (call.lane === 'short') throw new LargeRead()
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const one = { call, end: () => resolve({ status: 200, body: 'large' }) }
    running.push(one)
    const answer = await promise
    running.splice(running.indexOf(one), 1)
    return answer
  }
  const engine = openEngine({ url: 'postgres://127.0.0.1:1/none', connections }, { writes: true })
  const runningOf = (user: string) =>
    running.filter(({ call }) => 'facts' in call && call.facts.actor.user_id === user).length
  return { lanes: openInlineLanes({ engine, connections }, execute), running, runningOf }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Ends running calls until all are answered. At most `max` may run at a time. */
async function endAll(running: readonly { end(): void }[], max: number): Promise<void> {
  while (running.length > 0) {
    expect(running.length).toBeLessThanOrEqual(max)
    running[0]?.end()
    await settled()
  }
}

it('short reads of large rows run again one at a time for a user, and the others wait and are answered', async () => {
  const { lanes, running, runningOf } = lanesOfLargeRows(10)
  const answers = Array.from({ length: 20 }, (_, n) => lanes.execute(listOf(`w${n % 2}`, 'ann')))
  await settled()
  expect(runningOf('ann')).toBe(1)
  // Other reads of the same user do not wait behind them.
  answers.push(lanes.execute(listOf('w0', 'ann', 'read')), lanes.execute(listOf('other', 'ben')))
  await settled()
  expect([runningOf('ann'), runningOf('ben')]).toEqual([2, 1])
  await endAll(running, 3)
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(22).fill(200))
  await lanes.close()
})

it.each([
  ['large ones', 'short', 6],
  ['all', 'read', 8],
] as const)('reads of many users never get the last of ten connections: %s', async (_, lane, places) => {
  const { lanes, running } = lanesOfLargeRows(10)
  const answers = Array.from({ length: 12 }, (_, n) => lanes.execute(listOf(`w${n}`, `u${n}`, lane)))
  await settled()
  expect(running).toHaveLength(places)
  await endAll(running, places)
  await Promise.all(answers)
  await lanes.close()
})

it('a user has four of ten connections, in all workspaces', async () => {
  const { lanes, running, runningOf } = lanesOfLargeRows(10)
  const answers = Array.from({ length: 10 }, (_, n) => lanes.execute(listOf(`w${n}`, 'ann', 'read')))
  await settled()
  expect(runningOf('ann')).toBe(4)
  await endAll(running, 4)
  await Promise.all(answers)
  await lanes.close()
})

it('with one connection all of them are answered', async () => {
  const { lanes, running } = lanesOfLargeRows(1)
  const answers = Array.from({ length: 3 }, (_, n) => lanes.execute(listOf(`w${n}`, `u${n}`)))
  for (let n = 0; n < 3; n++) {
    await settled()
    expect(running).toHaveLength(1)
    running[0]?.end()
  }
  expect(await Promise.all(answers)).toHaveLength(3)
  await lanes.close()
})

it('a workspace with 800 waiting reads is told to retry, and another one is not', async () => {
  const { lanes, running } = lanesOfLargeRows(10)
  const answers = Array.from({ length: 801 }, () => lanes.execute(listOf('w', 'ann')))
  await settled()
  const refused = await lanes.execute(listOf('w', 'ann')).catch((error) => error)
  expect(refused).toBeInstanceOf(Refusal)
  expect(refused.reason).toMatchObject({ kind: 'busy', retry_after: 1 })
  expect(lanes.shed.get('read')).toBe(1)
  const other = lanes.execute(listOf('other', 'ben'))
  await settled()
  while (running.length > 0) {
    for (const one of [...running]) one.end()
    await settled()
  }
  await Promise.all([...answers, other])
  await lanes.close()
})
