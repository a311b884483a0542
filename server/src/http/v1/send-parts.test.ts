import { get, type IncomingMessage } from 'node:http'
import { Refusal } from '@kith/contract/refusal'
import { type FastifyInstance, fastify } from 'fastify'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Answer } from '../../calls/answer.ts'
import { openExports, placesInMemory } from '../../limits/places.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import { sendParts } from './send-parts.ts'
import { openWaiting } from './waiting.ts'

const facts: ScopeFacts = {
  workspace: { id: 'w', number: 1, slug: 'w', name: 'w', fields_version: 1 },
  actor: { user_id: 'u', role: 'owner', abilities: ['read'], token_id: 't', source: 'api' },
}

let app: FastifyInstance | undefined

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))

afterEach(async () => {
  vi.useRealTimers()
  await app?.close()
})

function part(body: string, continuation: string | null): Answer {
  return { status: 200, body, headers: { 'Content-Type': 'text/plain' }, next: { kind: 'part', continuation } }
}

type Service = { answer(continuation: string | undefined): Answer; admitAgain?: () => Promise<ScopeFacts> }

/** A response of these parts, and a connected client that does not read yet. */
async function opened({ answer, admitAgain = async () => facts }: Service) {
  const waiting = openWaiting({ listen: () => () => {}, read: async () => 1, soon: () => {} }, placesInMemory())
  const refuse = () => expect.fail('Nothing is refused.')
  const shedder = { refuse, refuseWhenFull: () => {}, begin: () => {}, end: () => {}, inFlight: () => 0 }
  const parts = {
    waiting,
    exports: openExports(placesInMemory()),
    shedder,
    logger: pino({ level: 'silent' }),
    isBusy: async () => false,
  }
  const calls: (string | undefined)[] = []
  const read = async (_facts: ScopeFacts, continuation?: string) => {
    calls.push(continuation)
    return answer(continuation)
  }
  const sent = { facts, counts: true, read, admitAgain }
  const started = fastify({ forceCloseConnections: true })
  app = started
  started.get('/', (_request, reply) => sendParts(reply, sent, parts))
  const url = await started.listen({ port: 0, host: '127.0.0.1' })
  const response = await new Promise<IncomingMessage>((resolve) => get(url, { agent: false }, resolve))
  const receive = async () => {
    let text = ''
    try {
      for await (const chunk of response.setEncoding('utf8')) text += chunk
    } catch {
      return { text, complete: false }
    }
    return { text, complete: true }
  }
  /** Whether this token has no export running. */
  const isFree = async () => {
    const leave = await parts.exports.enter(facts)
    try {
      const second = await parts.exports.enter(facts)
      second()
    } finally {
      leave()
    }
    return true
  }
  return { response, read: receive, calls, waiting, isFree }
}

it('sends part after part, each from where the one before ended', async () => {
  const { read, calls, isFree } = await opened({
    answer: (from = '0') => part(`${from};`, from === '3' ? null : String(Number(from) + 1)),
  })
  expect(await read()).toEqual({ text: '0;1;2;3;', complete: true })
  expect(calls).toEqual([undefined, '1', '2', '3'])
  await expect.poll(isFree).toBe(true)
})

it('reads no further part while the client does not read, and ends when the client disconnects', async () => {
  const { calls, response, isFree } = await opened({ answer: () => part('x'.repeat(2 ** 20), 'more') })
  await expect.poll(() => calls.length).toBeGreaterThan(1)
  let before = 0
  const isStill = () => {
    const wasStill = calls.length === before
    before = calls.length
    return wasStill
  }
  // The connection's buffers are full.
  await expect.poll(isStill, { interval: 300 }).toBe(true)
  expect(calls.length).toBeLessThan(40)
  await expect(isFree()).rejects.toThrow(Refusal)
  response.destroy()
  await expect.poll(isFree).toBe(true)
  expect(calls.length).toBeLessThan(40)
})

it('cuts the response off when the caller may no longer read, also one that does not read', async () => {
  let isAllowed = true
  const admitAgain = async () => {
    if (!isAllowed) throw new Refusal({ kind: 'unauthenticated' })
    return facts
  }
  const answer = () => part('x'.repeat(2 ** 20), 'more')
  const reading = await opened({ answer, admitAgain })
  setTimeout(() => {
    isAllowed = false
  }, 50)
  expect((await reading.read()).complete).toBe(false)
  await expect.poll(reading.isFree).toBe(true)
  await app?.close()
  isAllowed = true
  const idle = await opened({ answer, admitAgain })
  await expect.poll(() => idle.calls.length).toBeGreaterThan(1)
  isAllowed = false
  await vi.advanceTimersByTimeAsync(20_000)
  await expect.poll(idle.isFree).toBe(true)
})

it('tries a part again that the database was too busy for, and cuts off after another failure', async () => {
  const failures: Answer[] = [
    { status: 503, body: '{}' },
    { status: 500, body: '{}' },
  ]
  const { read, calls } = await opened({
    answer: (from) => (from === undefined ? part('a', 'b') : (failures.shift() ?? part('b', null))),
  })
  expect(await read()).toEqual({ text: 'a', complete: false })
  expect(calls).toEqual([undefined, 'b', 'b'])
})

it('is cut off when the service stops', async () => {
  const { read, waiting } = await opened({ answer: () => part('x'.repeat(2 ** 20), 'more') })
  setTimeout(() => waiting.stop(), 50)
  expect((await read()).complete).toBe(false)
})

it('refuses as any other response, and takes no place then', async () => {
  const { response, isFree } = await opened({ answer: () => ({ status: 422, body: '{}' }) })
  expect([response.statusCode, response.headers['content-type']]).toEqual([422, 'application/json'])
  expect(await isFree()).toBe(true)
})
