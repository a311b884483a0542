import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { UrlRules } from './allowed-url.ts'
import { openSender, type Sender } from './sender.ts'

let server: Server
let port: number
let seen: string[]
let answer: RequestListener
const senders: Sender[] = []

beforeEach(async () => {
  seen = []
  answer = (_request, response) => response.writeHead(204).end()
  server = createServer((request, response) => {
    seen.push(`${request.method} ${request.headers.host}${request.url}`)
    answer(request, response)
  })
  // Not even a connection is allowed.
  server.on('connection', () => seen.push('connection'))
  server.listen(0)
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})

afterEach(async () => {
  await Promise.all(senders.splice(0).map((sender) => sender.close()))
  server.closeAllConnections()
  server.close()
})

type Settings = Partial<UrlRules> & { addresses?: readonly string[]; timeout_ms?: number }

function post(url: string, { allow = { hosts: [], networks: [] }, own = [], addresses, timeout_ms }: Settings = {}) {
  const resolve = addresses && { resolve: async () => [...addresses] }
  const sender = openSender({
    rules: () => ({ allow, own }),
    ...resolve,
    ...(timeout_ms === undefined ? {} : { timeout_ms }),
  })
  senders.push(sender)
  return sender.send({ endpoint_id: 'e', url, headers: { 'content-type': 'application/json' }, body: '{}' })
}

const local = { hosts: [], networks: ['127.0.0.0/8'] }

describe('nothing is sent to a refused address', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:1]',
    'localhost',
    'localhost.',
    'x.localhost',
  ])('%s', async (host) => {
    for (const scheme of ['https', 'http']) {
      expect(await post(`${scheme}://${host}:${port}/`)).toMatchObject({ status: null, error: 'blocked_address' })
    }
    expect(seen).toEqual([])
  })

  it('a name of which any address is refused, without revealing the address', async () => {
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['2606:4700::1111', '::1'], ['10.0.0.1']]) {
      const sent = await post(`https://hooks.example.com:${port}/`, { addresses })
      expect(sent).toMatchObject({ status: null, error: 'blocked_address', response: null })
      expect(JSON.stringify(sent)).not.toMatch(/127\.0|::1|10\.0/)
    }
    expect(seen).toEqual([])
  })

  it('a name with http that does not resolve to an allowed network', async () => {
    const sent = await post(`http://hooks.example.com:${port}/`, { allow: local, addresses: ['8.8.8.8'] })
    expect(sent.error).toBe('blocked_address')
  })

  it('this installation itself', async () => {
    const own = [`127.0.0.1:${port}`]
    expect((await post(`http://127.0.0.1:${port}/`, { allow: local, own })).error).toBe('blocked_address')
    expect(seen).toEqual([])
  })
})

describe('a request', () => {
  it('goes to a checked address, and keeps the name for Host', async () => {
    const allow = { hosts: ['hooks.internal'], networks: [] }
    const sent = await post(`http://hooks.internal:${port}/a?b=c`, { allow, addresses: ['127.0.0.1'] })
    expect(sent).toMatchObject({ status: 204, error: null, response: { body: '' } })
    expect(seen).toEqual(['connection', `POST hooks.internal:${port}/a?b=c`])
  })

  it('follows no redirect', async () => {
    answer = (_request, response) => response.writeHead(307, { Location: '/elsewhere' }).end()
    const sent = await post(`http://127.0.0.1:${port}/`, { allow: local })
    expect(sent).toMatchObject({ status: 307, error: 'redirect' })
    expect(seen).toHaveLength(2)
  })

  it('has a time limit', async () => {
    answer = () => {}
    const sent = await post(`http://127.0.0.1:${port}/`, { allow: local, timeout_ms: 300 })
    expect(sent).toMatchObject({ status: null, error: 'timeout' })
  })

  it('reads a part of the response, and does not wait for the rest', async () => {
    answer = (_request, response) => response.writeHead(200).write('x'.repeat(100_000))
    const sent = await post(`http://127.0.0.1:${port}/`, { allow: local })
    expect(sent).toMatchObject({ status: 200, error: null })
    expect(sent.response?.body).toBe('x'.repeat(4096))
  })

  it('says in one word what went wrong', async () => {
    answer = (request) => request.socket.end('nonsense\r\n\r\n')
    expect((await post(`http://127.0.0.1:${port}/`, { allow: local })).error).toBe('invalid_response')
    expect((await post(`https://127.0.0.1:${port}/`, { allow: local })).error).toBe('tls')
    expect((await post('http://127.0.0.1:1/', { allow: local })).error).toBe('connection')
    expect((await post('https://hooks.example.com/', { addresses: [] })).error).toBe('dns')
  })
})
