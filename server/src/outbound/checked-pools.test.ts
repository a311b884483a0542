import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { openResolve, type Resolve } from './checked-pools.ts'
import { openSender } from './sender.ts'

/** The answers of the name server, by name. */
const answers = new Map<string, string[]>()
let dns: Socket
let resolve: Resolve
let receiver: Server
let port: number
let connections = 0

beforeAll(async () => {
  dns = createSocket('udp4', (message, { port, address }) => dns.send(answerTo(message), port, address))
  dns.bind(0, '127.0.0.1')
  await once(dns, 'listening')
  resolve = openResolve([`127.0.0.1:${dns.address().port}`])
  receiver = createServer((_request, response) => response.writeHead(204).end())
  receiver.on('connection', () => connections++)
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  port = (receiver.address() as AddressInfo).port
})

beforeEach(() => {
  connections = 0
})

afterAll(() => {
  dns.close()
  receiver.closeAllConnections()
  receiver.close()
})

const A = 1

/** The response of a name server to a query with one question. */
function answerTo(query: Buffer): Buffer {
  const labels: string[] = []
  let end = 12
  for (let length = query[end] ?? 0; length > 0; length = query[end] ?? 0) {
    labels.push(query.toString('latin1', end + 1, end + 1 + length))
    end += 1 + length
  }
  const type = query.readUInt16BE(end + 1)
  const addresses = answers.get(labels.join('.')) ?? []
  const found = addresses.filter((address) => isIPv4(address) === (type === A))
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  for (const [place, count] of [1, found.length, 0, 0].entries()) header.writeUInt16BE(count, 4 + 2 * place)
  const records = found.map((address) => {
    const bytes = Buffer.from(ipaddr.parse(address).toByteArray())
    const record = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length])
    return Buffer.concat([record, bytes])
  })
  return Buffer.concat([header, query.subarray(12, end + 5), ...records])
}

function send(host: string, networks: readonly string[] = []) {
  const sender = openSender({ rules: () => ({ allow: { hosts: [], networks }, own: [] }), resolve })
  const sending = { endpoint_id: 'e', url: `http${networks.length > 0 ? '' : 's'}://${host}:${port}/`, headers: {} }
  return sender.send({ ...sending, body: '{}' }).finally(() => sender.close())
}

it('finds all addresses of a name, of both kinds', async () => {
  answers.set('both.example.com', ['8.8.8.8', '10.0.0.1', '2606:4700::1111', 'fd00::1'])
  const found = await resolve('both.example.com.')
  expect(found.toSorted()).toEqual(['10.0.0.1', '2606:4700::1111', '8.8.8.8', 'fd00::1'])
})

it.each([
  ['127.0.0.1'],
  ['8.8.8.8', '127.0.0.1'],
  ['10.0.0.1'],
  ['169.254.169.254'],
  ['::1'],
  ['8.8.8.8', '::1'],
  ['2606:4700::1111', 'fe80::1'],
  ['::ffff:127.0.0.1'],
  ['64:ff9b::7f00:1'],
  ['2002:7f00:1::'],
])('sends nothing if a name server answers with %j', async (...addresses) => {
  answers.set('private.example.com', addresses)
  expect(await send('private.example.com')).toMatchObject({ status: null, error: 'blocked_address', response: null })
  expect(connections).toBe(0)
})

it('connects to the address that was checked, and checks again with each attempt', async () => {
  answers.set('moving.example.com', ['127.0.0.1'])
  expect(await send('moving.example.com', ['127.0.0.0/8'])).toMatchObject({ status: 204, error: null })
  expect(connections).toBe(1)
  for (const addresses of [['127.0.0.1', '10.0.0.1'], ['10.0.0.1']]) {
    answers.set('moving.example.com', addresses)
    expect((await send('moving.example.com', ['127.0.0.0/8'])).error).toBe('blocked_address')
  }
  expect(connections).toBe(1)
})
