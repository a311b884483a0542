import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import {
  BODIES_MAX_BYTES,
  BODIES_PER_CALLER,
  BODIES_PER_CALLER_MAX_BYTES,
  BODY_FREE_BYTES,
  BODY_VALUES_MAX,
  UNKNOWN_BODIES_MAX,
} from '@kith/contract/limits'
import { fastify } from 'fastify'
import { pino } from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { newLoadShedder } from '../../telemetry/observability.ts'
import { observeRequests } from './observe-requests.ts'
import { openBodies, readBodiesAsBytes } from './receive-bodies.ts'
import { sendFailure } from './send-answer.ts'

const opened: { close(): unknown }[] = []

afterAll(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

/** A service that answers with the length of the body as soon as `released` resolves. */
async function opening({ released = Promise.resolve(), inFlightMax = 1000 } = {}) {
  const shed = new Map<string, number>()
  const shedder = newLoadShedder({ inFlightMax, connections: 1, pool: () => undefined, shed })
  const wire = { isBusy: async () => false, logger: pino({ enabled: false }), mediaType: 'application/json' }
  const app = fastify({ trustProxy: true, forceCloseConnections: true, bodyLimit: BODIES_PER_CALLER_MAX_BYTES * 2 })
  observeRequests(app, { ...wire, refuseOutdated: () => {}, shedder, observers: [] })
  app.addHook('onRequest', async (request) => {
    const { user } = request.headers
    if (typeof user === 'string') request.caller = { workspace_id: null, user_id: user }
  })
  const bodies = openBodies(shedder)
  const counts = { begun: 0, ended: 0 }
  const read: typeof bodies.read = async (reply) => {
    const body = bodies.read(reply)
    counts.begun++
    try {
      return await body
    } finally {
      counts.ended++
    }
  }
  readBodiesAsBytes(app, { bodies: { ...bodies, read } })
  app.setErrorHandler((error, _request, reply) => sendFailure(reply, error, wire))
  app.post('/api/length', async ({ body }) => {
    await released
    return { length: Buffer.isBuffer(body) ? body.length : 0 }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  opened.push(app)
  const { port } = app.server.address() as AddressInfo
  /** Waits until so many bodies are being read, and count as slow. Timers end in the order of their times. */
  async function areSlow(begun: number): Promise<void> {
    await expect.poll(() => counts.begun).toBe(begun)
    await setTimeout(SLOW_MS)
  }
  const haveEnded = (ended: number) => expect.poll(() => counts.ended).toBe(ended)
  return { shedder, shed, send: (sent: Sent) => send(port, sent), areSlow, haveEnded }
}

/** A body, its sender, and how many bytes are sent at first. */
type Sent = { address?: string; user?: string; length: number; first?: number; body?: Buffer }

type Sending = { socket: Socket; answer: Promise<string>; rest(): void }

async function send(port: number, sent: Sent): Promise<Sending> {
  const { address = '192.0.2.1', user, length, first = length, body = Buffer.alloc(length, 'x') } = sent
  const socket = connect(port, '127.0.0.1')
  opened.push({ close: () => socket.destroy() })
  let told = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    told += text
  })
  socket.on('error', () => {})
  const answer = new Promise<string>((resolve) => {
    socket.once('close', () => resolve(told))
    socket.on('data', () => told.endsWith('}') && resolve(told))
  })
  await once(socket, 'connect')
  socket.cork()
  const who = `X-Forwarded-For: ${address}\r\n${user === undefined ? '' : `User: ${user}\r\n`}`
  socket.write(
    `POST /api/length HTTP/1.1\r\nHost: x\r\n${who}Content-Type: text/plain\r\nContent-Length: ${length}\r\n\r\n`,
  )
  socket.write(body.subarray(0, first))
  socket.uncork()
  return { socket, answer, rest: () => socket.write(body.subarray(first)) }
}

const slow = { length: 100, first: 1 }
/** More than the time after which a body counts as slow. */
const SLOW_MS = 150
const MB = 1024 * 1024

describe('a body that is still arriving', () => {
  it('is no request in flight, and its request is one when it is complete', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { send, areSlow, shedder } = await opening({ released, inFlightMax: 2 })
    const sendings = await Promise.all(Array.from({ length: 4 }, () => send({ ...slow, user: 'ada' })))
    await areSlow(4)
    expect(shedder.inFlight()).toBe(0)
    const statuses: string[] = []
    const answers = sendings.map(async ({ answer }) => statuses.push((await answer).slice(9, 12)))
    for (const { rest } of sendings) rest()
    await expect.poll(() => statuses.filter((status) => status === '503').length).toBeGreaterThanOrEqual(2)
    release()
    await Promise.all(answers)
    expect(statuses.filter((status) => status !== '503')).toContain('200')
  })

  it('has a place among those of its address, which is a network of IPv6', async () => {
    const { send, areSlow } = await opening()
    let users = 0
    // Callers without an account would have only 10 seconds.
    const from = (address: string) => send({ ...slow, address, user: `user ${users++}` })
    const first = await Promise.all(Array.from({ length: BODIES_PER_CALLER }, (_, i) => from(`2001:db8:1:2::${i}`)))
    await areSlow(BODIES_PER_CALLER)
    const more = await from('2001:db8:1:2:9::9')
    const other = await from('2001:db8:1:3::1')
    const small = await send({ length: 5, address: '2001:db8:1:2::5' })
    expect(await small.answer).toMatch(/^HTTP\/1\.1 200 /)
    await areSlow(BODIES_PER_CALLER + 3)
    more.rest()
    const refused = await more.answer
    expect(refused).toMatch(/^HTTP\/1\.1 429 /)
    expect(refused).toMatch(/\r\nretry-after: 1\r\n/i)
    if (!more.socket.closed) await once(more.socket, 'close')
    expect(refused).toContain(
      'Too many request bodies from your address are arriving: at most 100 at once are accepted.',
    )
    for (const { rest } of [...first, other]) rest()
    for (const { answer } of [...first, other]) expect(await answer).toContain('{"length":100}')
    const again = await from('2001:db8:1:2:9::9')
    await areSlow(BODIES_PER_CALLER + 4)
    again.rest()
    expect(await again.answer).toContain('{"length":100}')
  })

  it('has a place among those of its user, from any address', async () => {
    const { send, areSlow, haveEnded } = await opening()
    const of = (user: string, i: number) => send({ ...slow, user, address: `192.0.2.${i}` })
    const first = await Promise.all(Array.from({ length: BODIES_PER_CALLER }, (_, i) => of('ada', i)))
    await areSlow(BODIES_PER_CALLER)
    const [more, other] = [await of('ada', 200), await of('bob', 200)]
    await areSlow(BODIES_PER_CALLER + 2)
    more.rest()
    expect(await more.answer).toMatch(/^HTTP\/1\.1 429 .*Too many request bodies of this user are arriving/s)
    other.rest()
    expect(await other.answer).toContain('{"length":100}')
    for (const { socket } of first) socket.destroy()
    await haveEnded(BODIES_PER_CALLER + 2)
    const again = await of('ada', 201)
    await areSlow(BODIES_PER_CALLER + 3)
    again.rest()
    expect(await again.answer).toContain('{"length":100}')
  })

  it('without an account takes no place of those who have one', async () => {
    const { send, areSlow, shed } = await opening()
    await Promise.all(
      Array.from({ length: UNKNOWN_BODIES_MAX }, (_, i) => send({ ...slow, address: `192.0.2.${i % 10}` })),
    )
    await areSlow(UNKNOWN_BODIES_MAX)
    const [more, known] = [await send(slow), await send({ ...slow, user: 'ada', address: '192.0.2.99' })]
    const refused = await send({ ...slow, address: '198.51.100.1' })
    await areSlow(UNKNOWN_BODIES_MAX + 3)
    for (const { rest } of [more, refused]) rest()
    expect(await more.answer).toMatch(/^HTTP\/1\.1 (429|503) /)
    expect(await refused.answer).toMatch(/^HTTP\/1\.1 503 /)
    expect(await refused.answer).toMatch(/\r\nretry-after: 1\r\n/i)
    expect(shed.get('bodies')).toBeGreaterThan(0)
    known.rest()
    expect(await known.answer).toContain('{"length":100}')
  })
})

describe('the memory of bodies', () => {
  const large = { length: 8 * MB + BODY_FREE_BYTES }
  const times = BODIES_PER_CALLER_MAX_BYTES / (8 * MB)

  it('of one caller is limited until they are answered, and small ones are free', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { send, areSlow } = await opening({ released })
    const first = await Promise.all(
      // One of the bodies is incomplete.
      Array.from({ length: times }, (_, i) => send({ ...large, user: 'ada', first: large.length - (i % 2) })),
    )
    await areSlow(times)
    const [more, other, small] = [
      await send({ ...large, user: 'ada' }),
      await send({ ...large, user: 'bob' }),
      await send({ length: BODY_FREE_BYTES, user: 'ada' }),
    ]
    const refused = await more.answer
    expect(refused).toMatch(/^HTTP\/1\.1 429 /)
    expect(refused).toMatch(/\r\nretry-after: 1\r\n/i)
    expect(refused).toContain('not answered yet have more than 32 MiB together. Wait until one of them is answered.')
    release()
    for (const { rest } of first) rest()
    for (const { answer } of [...first, other]) expect(await answer).toContain(`{"length":${large.length}}`)
    expect(await small.answer).toContain(`{"length":${BODY_FREE_BYTES}}`)
    expect(await (await send({ ...large, user: 'ada' })).answer).toContain('{"length"')
  })

  it('is limited in all, and free again when clients disconnect', async () => {
    const { send, areSlow, haveEnded, shed } = await opening()
    const callers = BODIES_MAX_BYTES / BODIES_PER_CALLER_MAX_BYTES
    const one = { length: BODIES_PER_CALLER_MAX_BYTES + BODY_FREE_BYTES, first: 1 }
    const all = await Promise.all(Array.from({ length: callers }, (_, i) => send({ ...one, user: `user ${i}` })))
    await areSlow(callers)
    const more = await send({ ...large, user: 'bob' })
    const small = await send({ length: BODY_FREE_BYTES, user: 'bob' })
    expect(await small.answer).toContain('{"length"')
    expect(await more.answer).toMatch(/^HTTP\/1\.1 503 /)
    expect(shed).toEqual(new Map([['bodies', 1]]))
    for (const { socket } of all) socket.destroy()
    await haveEnded(callers + 2)
    expect(await (await send({ ...large, user: 'bob' })).answer).toContain('{"length"')
  })
})

describe('the values in a body', () => {
  const sending = async (text: string) => {
    const { send } = await opening()
    const body = Buffer.from(text)
    return (await send({ body, length: body.length })).answer
  }
  const many = BODY_VALUES_MAX + 1

  it.each([
    ['empty objects', `[${'{},'.repeat(many / 3)}0]`],
    ['empty lists', `[${'[],'.repeat(many / 3)}0]`],
    ['numbers', `[${'0,'.repeat(many)}0]`],
    ['numbers after a text with quotes', `["\\"",${'0,'.repeat(many)}0]`],
  ])('are limited before it is parsed: %s', async (_, text) => {
    const refused = await sending(text)
    expect(refused).toMatch(/^HTTP\/1\.1 413 /)
    expect(refused).toContain('The request body has too many values: at most 300,000 are accepted')
  })

  it('are refused before the rest has arrived', async () => {
    const { send } = await opening()
    const body = Buffer.from(`[${'{},'.repeat(many / 3)}`)
    const { answer } = await send({ body, length: body.length + 1_000_000 })
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('are those outside of texts', async () => {
    expect(await sending(`["\\"${'{[,'.repeat(many)}","\\\\"]`)).toContain('{"length"')
    expect(await sending(`[${'0,'.repeat(BODY_VALUES_MAX - 3)}0]`)).toContain('{"length"')
  })
})
