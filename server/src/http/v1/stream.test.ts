import { get, type IncomingMessage } from 'node:http'
import { Refusal } from '@kith/contract/refusal'
import { type FastifyInstance, fastify } from 'fastify'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Answer } from '../../calls/answer.ts'
import { placesInMemory } from '../../limits/places.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { V1Call } from './hold.ts'
import { streamChanges } from './stream.ts'
import { openWaiting } from './waiting.ts'

const facts: ScopeFacts = {
  workspace: { id: 'w', number: 1, slug: 'w', name: 'w', fields_version: 1 },
  actor: { user_id: 'u', role: 'owner', abilities: ['read'], token_id: 't', source: 'api' },
}
const body = { text: null, readable: true }
const headers = { if_match: null, if_none_match: null, idempotency_key: null }
const request = { method: 'GET', headers, handler: '', resource: null, id: '', params: {}, path: '', query: '', body }
const call: V1Call = { surface: 'v1', request_id: 'r', lane: 'read', facts, request }

let app: FastifyInstance | undefined

/** The tests control the time; connections work as usual. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval', 'performance'] }))

afterEach(async () => {
  vi.useRealTimers()
  await app?.close()
})

type Feed = Extract<NonNullable<Answer['next']>, { kind: 'feed' }>

function part(body: string, feed: Partial<Feed> = {}): Answer {
  return {
    status: 200,
    body,
    next: { kind: 'feed', next_cursor: 'c', head: 1, has_more: false, phase: 'live', wait: 0, ...feed },
  }
}

/** A stream of a service that gives the same answer to each call, and a connected client. */
async function opened(answer: (asked: string) => Answer, admitAgain = async () => facts) {
  const heads = new Set<(head: number) => void>()
  const listen = (_: ScopeFacts, onHead: (head: number) => void) => {
    heads.add(onHead)
    return () => heads.delete(onHead)
  }
  const waiting = openWaiting({ listen, read: async () => 1, soon: () => {} }, placesInMemory())
  const refuse = () => expect.fail('Nothing is refused.')
  const shedder = { refuse, refuseWhenFull: () => {}, begin: () => {}, end: () => {}, inFlight: () => 0 }
  const parts = { waiting, shedder, logger: pino({ level: 'silent' }), isBusy: async () => false }
  const following = { call, execute: async (one: V1Call) => answer(one.request.query), admitAgain }
  const started = fastify({ forceCloseConnections: true })
  app = started
  started.get('/', (_request, reply) => streamChanges({ reply, following }, parts))
  const url = await started.listen({ port: 0, host: '127.0.0.1' })
  const response = await new Promise<IncomingMessage>((resolve) => get(url, resolve))
  const heard = { text: '', ended: false }
  response.on('close', () => {
    heard.ended = true
  })
  const read = () =>
    response.setEncoding('utf8').on('data', (text) => {
      heard.text += text
    })
  const move = (head: number) => {
    for (const onHead of [...heads]) onHead(head)
  }
  return { heard, read, response, waiting, move, listening: () => heads.size }
}

/** Waits until the sent data has arrived. */
const arrived = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

async function pass(seconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(seconds * 1000)
  for (let turn = 0; turn < 20; turn++) await arrived()
}

it('begins with retry, pings every 15 s and ends after 30 minutes', async () => {
  const { heard, read, response } = await opened(() => part('id: c\n\n'))
  read()
  expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  await pass(14)
  await expect.poll(() => heard.text).toBe('retry: 3000\n\nid: c\n\n')
  await pass(17)
  await expect.poll(() => heard.text).toBe('retry: 3000\n\nid: c\n\n: ping\n\n: ping\n\n')
  await pass(29 * 60)
  expect(heard.ended).toBe(false)
  await pass(60)
  await expect.poll(() => heard.ended).toBe(true)
})

it('reads on from its cursor when the feed has moved, and at once when there is more', async () => {
  const asked: string[] = []
  const { heard, read, move } = await opened((query) => {
    asked.push(query)
    if (asked.length === 1) return part('one', { next_cursor: 'c1', has_more: true })
    return part(`more ${asked.length}`, { next_cursor: `c${asked.length}`, head: asked.length })
  })
  read()
  await pass(0)
  await expect.poll(() => asked).toEqual(['', 'cursor=c1'])
  move(2)
  await pass(0)
  expect(asked).toHaveLength(2)
  move(3)
  await pass(0)
  await expect.poll(() => asked).toEqual(['', 'cursor=c1', 'cursor=c2'])
  await expect.poll(() => heard.text).toBe('retry: 3000\n\nonemore 2more 3')
})

it('reports the hand-off once', async () => {
  let calls = 0
  const { heard, read, move } = await opened(() => {
    calls++
    return part(`${calls};`, calls < 3 ? { has_more: true, phase: 'snapshot' } : { head: calls })
  })
  read()
  await pass(0)
  move(4)
  await pass(0)
  await expect.poll(() => heard.text).toBe('retry: 3000\n\n1;2;event: live\ndata: {}\n\n3;4;')
})

it('ends within 30 s after the token stops being valid, and not when the database is away', async () => {
  let trouble: Error = new Error('The database is away.')
  const { heard, read, listening } = await opened(
    () => part(''),
    async () => {
      throw trouble
    },
  )
  read()
  await pass(60)
  expect(heard.ended).toBe(false)
  trouble = new Refusal({ kind: 'unauthenticated' })
  await pass(30)
  await expect.poll(() => heard.ended).toBe(true)
  expect(listening()).toBe(0)
})

it('ends when 1 MiB is unread, and goes on while it is read', async () => {
  const large = `data: ${'x'.repeat(3 * 1024 * 1024)}\n\n`
  let sent = 0
  const answer = () => part(large, { has_more: sent++ < 20 })
  const reading = await opened(answer)
  reading.read()
  await expect.poll(() => sent).toBeGreaterThanOrEqual(20)
  expect(reading.heard.ended).toBe(false)
  await app?.close()
  sent = 0
  const stopped = await opened(answer)
  stopped.response.pause()
  for (let second = 0; second < 60 && stopped.listening() === 0 && sent < 20; second++) await pass(1)
  stopped.read()
  stopped.response.resume()
  await expect.poll(() => stopped.heard.ended).toBe(true)
  expect(sent).toBeLessThan(20)
})

it('ends when the service stops, and when the client leaves it listens no more', async () => {
  const { heard, read, waiting, listening } = await opened(() => part('a'))
  read()
  await pass(0)
  waiting.stop()
  await pass(0)
  await expect.poll(() => heard).toEqual({ text: 'retry: 3000\n\na', ended: true })
  const left = await opened(() => part('a'))
  await pass(0)
  await expect.poll(left.listening).toBe(1)
  left.response.destroy()
  await expect.poll(() => [listening(), left.listening()]).toEqual([0, 0])
})
