import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Api } from '../../api.ts'
import { whenFileEnds } from '../../when-file-ends.ts'

export type Received = {
  headers: Record<string, string>
  text: string
  // Tests look into bodies of every shape; what they expect, they assert.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  body: any
  at: number
}

/** Enough for a slow and busy machine. */
const PATIENCE_MS = 60_000

/** How the receiver answers. By default 204. */
export type Answering = (received: Received, response: ServerResponse, request: IncomingMessage) => void

export type Receiver = {
  url: string
  received: Received[]
  /** How many requests are open at the moment, and were at most. */
  open(): number
  most(): number
  answer(answering: Answering): void
  /** Accepts everything, and forgets what came. */
  reset(): void
  /** Waits until so many requests came. */
  until(count: number, ms?: number): Promise<Received[]>
  /** Cuts all connections and takes no more of them, until it runs again at the same address. */
  kill(): Promise<void>
  restart(): Promise<void>
}

export const accept: Answering = (_received, response) => response.writeHead(204).end()

export async function newReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  let answering = accept
  let open = 0
  let most = 0
  const server = createServer(async (request, response) => {
    most = Math.max(most, ++open)
    response.on('close', () => open--)
    const text = await textIn(request)
    if (text === undefined) return
    const one = { headers: request.headers as Record<string, string>, text, body: JSON.parse(text), at: Date.now() }
    received.push(one)
    answering(one, response, request)
    for (const wake of waiting) wake()
  })
  await listen(server, 0)
  const { port } = server.address() as AddressInfo
  const kill = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  whenFileEnds(kill)
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    open: () => open,
    most: () => most,
    answer(next) {
      answering = next
    },
    reset() {
      answering = accept
      received.length = 0
    },
    async until(count, ms = PATIENCE_MS) {
      await holds(() => received.length >= count, {
        ms,
        waiting,
        says: () => `${received.length} of ${count} requests`,
      })
      return received
    },
    kill,
    restart: () => listen(server, port),
  }
}

/** Undefined if the connection ends before the text does. */
async function textIn(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = []
  try {
    for await (const part of request) parts.push(part)
    return Buffer.concat(parts).toString()
  } catch {
    return undefined
  }
}

/** The port of a receiver that was killed may be in use for a moment. */
async function listen(server: Server, port: number): Promise<void> {
  for (;;) {
    try {
      server.listen(port, '127.0.0.1')
      return void (await once(server, 'listening'))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
      await setTimeout(100)
    }
  }
}

type Waiting = { ms: number; waiting: Set<() => void>; says(): string }

async function holds(isTrue: () => boolean, { ms, waiting, says }: Waiting): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const check = () => isTrue() && resolve()
  const timer = globalThis.setTimeout(() => reject(new Error(`Waited ${ms} ms: ${says()}.`)), ms)
  waiting.add(check)
  check()
  try {
    await promise
  } finally {
    clearTimeout(timer)
    waiting.delete(check)
  }
}

export type TestWebhook = { id: string; secret: string }

export async function hookTo(api: Api, receiver: Receiver, more: object = {}): Promise<TestWebhook> {
  const made = await api.post('/webhooks', { url: receiver.url, types: ['*'], ...more })
  expect(made.status, made.text).toBe(201)
  return { id: made.body.data.id, secret: made.body.data.attributes.secret }
}

type Attributes = Record<string, unknown> & { state: string; reason: string | null; position: Record<string, number> }

export async function webhookAt(api: Api, id: string): Promise<Attributes> {
  return (await api.get(`/webhooks/${id}`)).body.data.attributes
}

/** Waits until something about the endpoint is so. */
export function webhookWhere(api: Api, id: string, isSo: (attributes: Attributes) => boolean): Promise<Attributes> {
  return eventually(() => webhookAt(api, id), isSo)
}

/** Reads something until it is so. */
export async function eventually<T>(read: () => Promise<T>, isSo: (value: T) => boolean, ms = PATIENCE_MS): Promise<T> {
  for (const until = Date.now() + ms; ; ) {
    const value = await read()
    if (isSo(value)) return value
    if (Date.now() > until) throw new Error(`It stays ${JSON.stringify(value)}.`)
    await setTimeout(50)
  }
}

type Delivery = { id: string; attributes: Record<string, unknown> & { state: string; attempts: Attempt[] } }
type Attempt = { status: number | null; error: string | null; ms: number; at: string } & Record<
  'request' | 'response',
  { headers: Record<string, string>; body: string }
>

export async function deliveriesOf(api: Api, id: string, query = ''): Promise<Delivery[]> {
  return (await api.get(`/webhooks/${id}/deliveries?per_page=100${query}`)).body.data
}
