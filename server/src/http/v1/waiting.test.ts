import { Refusal } from '@kith/contract/refusal'
import { expect, it } from 'vitest'
import { placesInMemory } from '../../limits/places.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import { openWaiting } from './waiting.ts'

const factsOf = (workspace: string, token: string | null, user = 'user'): ScopeFacts => ({
  workspace: { id: workspace, number: 1, slug: workspace, name: workspace, fields_version: 1 },
  actor: { user_id: user, role: 'owner', abilities: ['read'], token_id: token, source: 'api' },
})

/** Waiters for a feed whose head the test moves. */
function opened() {
  const listeners = new Set<(head: number) => void>()
  let head = 0
  const waiting = openWaiting(
    {
      listen(_facts, onHead) {
        listeners.add(onHead)
        onHead(head)
        return () => listeners.delete(onHead)
      },
      read: async () => head,
      soon: () => {},
    },
    placesInMemory(),
  )
  const move = (to: number) => {
    head = to
    for (const listener of [...listeners]) listener(to)
  }
  return { waiting, move, listening: () => listeners.size }
}

async function refused(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work()
  } catch (error) {
    if (error instanceof Refusal) return error.reason
  }
  return undefined
}

it('lets 10 wait per token and 50 per workspace, and refuses more with Retry-After: 5', async () => {
  const { waiting } = opened()
  const leave = await waiting.enter(factsOf('w', 'a'))
  for (let more = 1; more < 10; more++) await waiting.enter(factsOf('w', 'a'))
  const reason = { kind: 'rate_limited', retry_after: 5 }
  expect(await refused(() => waiting.enter(factsOf('w', 'a')))).toMatchObject(reason)
  for (const token of ['b', 'c', 'd']) for (let one = 0; one < 10; one++) await waiting.enter(factsOf('w', token))
  // Requests of the application count by user.
  for (let one = 0; one < 10; one++) await waiting.enter(factsOf('w', null))
  expect(await refused(() => waiting.enter(factsOf('w', 'f')))).toMatchObject(reason)
  expect(await refused(() => waiting.enter(factsOf('other', 'g')))).toBeUndefined()
  // A place is freed only once, even if it is left twice.
  leave()
  leave()
  expect(await refused(() => waiting.enter(factsOf('w', 'f')))).toBeUndefined()
  expect(await refused(() => waiting.enter(factsOf('w', 'a')))).toMatchObject(reason)
})

it('waits until the feed is past the sequence', async () => {
  const { waiting, move, listening } = opened()
  const { signal } = new AbortController()
  move(7)
  const past = waiting.untilPast(factsOf('w', 'a'), 8, { ms: 10_000, signal })
  move(8)
  expect(listening()).toBe(1)
  move(9)
  expect(await past).toBe(true)
  expect(listening()).toBe(0)
  expect(await waiting.untilPast(factsOf('w', 'a'), 8, { ms: 10_000, signal })).toBe(true)
})

it('is cut short by time, by the client and by the end of the service', async () => {
  const { waiting, listening } = opened()
  const client = new AbortController()
  const forever = { ms: 100_000, signal: client.signal }
  expect(await waiting.untilPast(factsOf('w', 'a'), 1, { ...forever, ms: 5 })).toBe(false)
  const dropped = waiting.untilPast(factsOf('w', 'a'), 1, forever)
  client.abort()
  expect(await dropped).toBe(false)
  const { signal } = new AbortController()
  const last = waiting.untilPast(factsOf('w', 'a'), 1, { ms: 100_000, signal })
  waiting.stop()
  expect(await last).toBe(false)
  expect(await waiting.untilPast(factsOf('w', 'a'), 1, { ms: 100_000, signal })).toBe(false)
  expect(listening()).toBe(0)
})
