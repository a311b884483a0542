import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openReader, type Reader } from './sender.ts'

let server: Server
let url: string
let seen: string[]
let answer: RequestListener
const readers: Reader[] = []

beforeEach(async () => {
  seen = []
  answer = (_request, response) => response.setHeader('Content-Type', 'application/json').end('{}')
  server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    answer(request, response)
  })
  server.on('connection', () => seen.push('connection'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a?b=c`
})

afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.close()))
  server.closeAllConnections()
  server.close()
})

function read(networks = ['127.0.0.0/8'], timeout_ms = 60_000) {
  const reader = openReader({ rules: () => ({ allow: { hosts: [], networks }, own: [] }), timeout_ms, max_bytes: 100 })
  readers.push(reader)
  return reader.read(url)
}

describe('a document', () => {
  it('is read from an allowed address', async () => {
    expect(await read()).toEqual({ body: '{}' })
    expect(seen).toEqual(['connection', 'GET /a?b=c'])
  })

  it('is not read from another one, which gets no connection', async () => {
    expect(await read([])).toEqual({ error: 'blocked_address' })
    expect(seen).toEqual([])
  })

  it('has a size: a byte more is refused, however it arrives', async () => {
    const json = { 'Content-Type': 'application/json' }
    answer = (_request, response) => response.writeHead(200, json).end('x'.repeat(100))
    expect(await read()).toEqual({ body: 'x'.repeat(100) })
    answer = (_request, response) => response.writeHead(200, json).end('x'.repeat(101))
    expect(await read()).toEqual({ error: 'too_large' })
    answer = (_request, response) => {
      response.writeHead(200, json).write('x'.repeat(60))
      // The answer never ends.
      setImmediate(() => response.write('x'.repeat(60)))
    }
    expect(await read()).toEqual({ error: 'too_large' })
  })

  it('has a time, also once it has begun', async () => {
    answer = () => {}
    expect(await read(undefined, 300)).toEqual({ error: 'timeout' })
    answer = (_request, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).write('{')
    expect(await read(undefined, 300)).toEqual({ error: 'timeout' })
  })

  it('that ends early is not taken for a whole one', async () => {
    answer = (_request, response) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': '10' }
      response.writeHead(200, headers).write('{}', () => response.destroy())
    }
    expect(await read()).toEqual({ error: 'connection' })
  })

  it.each([
    [200, 'text/html', 'type'],
    [200, 'application/jsonp', 'type'],
    [201, 'application/json', 'status'],
    [302, 'application/json', 'status'],
    [404, 'application/json', 'status'],
  ])('with the status %i and the type %s is refused', async (status, type, error) => {
    answer = (_request, response) => response.writeHead(status, { 'Content-Type': type, Location: '/b' }).end('{}')
    expect(await read()).toEqual({ error })
    expect(seen).toEqual(['connection', 'GET /a?b=c'])
  })

  it.each(['application/json; charset=utf-8', 'application/cimd+json'])('can have the type %s', async (type) => {
    answer = (_request, response) => response.writeHead(200, { 'Content-Type': type }).end('{}')
    expect(await read()).toEqual({ body: '{}' })
  })
})
