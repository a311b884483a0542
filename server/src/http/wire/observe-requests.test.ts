import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import {
  READ_BYTES_PER_SECOND,
  READ_SECONDS,
  UNREAD_FREE_BYTES,
  UNREAD_MAX_BYTES,
  UNREAD_PER_CALLER_MAX_BYTES,
} from '@kith/contract/limits'
import { fastify } from 'fastify'
import { pino } from 'pino'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { newLoadShedder } from '../../telemetry/observability.ts'
import { observeRequests } from './observe-requests.ts'

const opened: { close(): unknown }[] = []

afterEach(async () => {
  vi.useRealTimers()
  for (const one of opened.splice(0).reverse()) await one.close()
})

const LARGE_BYTES = 16 * 1024 * 1024
const LARGE = Buffer.alloc(LARGE_BYTES, 'x')
const PER_CALLER = UNREAD_PER_CALLER_MAX_BYTES / LARGE_BYTES

/** A service with large and small answers. `written` counts what has taken effect. */
async function opening() {
  const shed = new Map<string, number>()
  const shedder = newLoadShedder({ inFlightMax: 2, connections: 1, pool: () => undefined, shed })
  const app = fastify({ forceCloseConnections: true })
  const wire = { isBusy: async () => false, refuseOutdated: () => {}, logger: pino({ enabled: false }) }
  observeRequests(app, { ...wire, shedder, observers: [] })
  app.addHook('onRequest', async (request) => {
    const { user } = request.headers
    if (typeof user === 'string') request.caller = { workspace_id: null, user_id: user }
  })
  const seen = { written: 0 }
  app.get('/api/large', async (_request, reply) => reply.headers({ ETag: '"1"', 'Content-Encoding': 'x' }).send(LARGE))
  app.get('/api/small', async () => Buffer.alloc(UNREAD_FREE_BYTES, 'x'))
  app.post('/api/large', async () => {
    seen.written++
    return LARGE
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  opened.push(app)
  const { port } = app.server.address() as AddressInfo
  return { shedder, shed, seen, send: (path: string, user: string) => send(port, path, user) }
}

type Sent = { socket: Socket; head: string }

/** Sends a request and reads no more than the head of its answer; empty if the connection was closed. */
async function send(port: number, path: string, user: string): Promise<Sent> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  opened.push({ close: () => socket.destroy() })
  socket.on('error', () => {})
  await once(socket, 'connect')
  const [method, url] = path.split(' ')
  socket.write(`${method} ${url} HTTP/1.1\r\nHost: x\r\nUser: ${user}\r\n\r\n`)
  const closed = Promise.withResolvers<void>()
  socket.once('close', closed.resolve)
  await Promise.race([once(socket, 'readable'), closed.promise])
  return { socket, head: socket.read() ?? '' }
}

describe('an answer that its client does not read', () => {
  it('is no request in flight', async () => {
    const { send, shedder } = await opening()
    for (let n = 0; n < 4; n++) {
      expect((await send('GET /api/large', `user ${n}`)).head).toMatch(/^HTTP\/1\.1 200 /)
    }
    expect(shedder.inFlight()).toBe(0)
  })

  it('is closed after a time that depends on its size', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { send } = await opening()
    const { socket } = await send('GET /api/large', 'ada')
    const isClosed = once(socket, 'close')
    const seconds = READ_SECONDS + LARGE_BYTES / READ_BYTES_PER_SECOND
    await vi.advanceTimersByTimeAsync(seconds * 1000 - 1)
    expect((await send('GET /api/large', 'ada')).head).toMatch(/^HTTP\/1\.1 200 /)
    expect(socket.closed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    socket.resume()
    await isClosed
    expect(socket.bytesRead).toBeLessThan(LARGE_BYTES)
  })

  it('takes from the memory of its caller: above it reads are refused, and connections of writes are closed', async () => {
    const { send, seen } = await opening()
    const unread: Sent[] = []
    for (let n = 0; n < PER_CALLER; n++) unread.push(await send('GET /api/large', 'ada'))
    const { head } = await send('GET /api/large', 'ada')
    expect(head).toMatch(/^HTTP\/1\.1 429 /)
    expect(head).toMatch(/\r\nretry-after: 1\r\n/i)
    expect(head).not.toMatch(/\r\n(etag|content-encoding):/i)
    expect(head).toContain('not read yet have more than 64 MiB together. Read one of them first.')
    expect((await send('POST /api/large', 'ada')).head).toBe('')
    expect(seen.written).toBe(1)
    expect((await send('GET /api/small', 'ada')).head).toMatch(/^HTTP\/1\.1 200 /)
    expect((await send('GET /api/large', 'bob')).head).toMatch(/^HTTP\/1\.1 200 /)
    // What is read is free again.
    const [first] = unread
    let read = first?.head.length ?? 0
    first?.socket.on('data', (text: string) => {
      read += text.length
    })
    await expect.poll(() => read).toBeGreaterThan(LARGE_BYTES)
    await expect.poll(async () => (await send('GET /api/large', 'ada')).head).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('takes from the memory of all', async () => {
    const { send, shed } = await opening()
    const all = UNREAD_MAX_BYTES / LARGE_BYTES
    for (let n = 0; n < all; n++) await send('GET /api/large', `user ${Math.floor(n / PER_CALLER)}`)
    const { head } = await send('GET /api/large', 'bob')
    expect(head).toMatch(/^HTTP\/1\.1 503 /)
    expect(head).toMatch(/\r\nretry-after: 1\r\n/i)
    expect(shed).toEqual(new Map([['unread', 1]]))
  })
})
