import { beforeAll, beforeEach, expect, it } from 'vitest'
import { ownService } from '../../own-service.ts'
import { postOffice } from '../../post-office.ts'
import { whenFileEnds } from '../../when-file-ends.ts'
import type { TestWorkspace } from '../../workspace.ts'
import {
  accept,
  allowed,
  deliveriesOf,
  eventually,
  hookTo,
  newReceiver,
  type Receiver,
  webhookWhere,
} from './receiver.ts'

let workspace: TestWorkspace
let receiver: Receiver
let post: Awaited<ReturnType<typeof postOffice>>

beforeAll(async () => {
  post = await postOffice()
  whenFileEnds(() => void post.close())
  const limits = { RATE_LIMIT_WRITES: '0', RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', SMTP_URL: post.url }
  const service = await ownService({ ...allowed, ...limits, WEBHOOK_RETRIES: Array(40).fill('0.1').join() })
  workspace = await service.workspace()
  receiver = await newReceiver()
})

beforeEach(() => {
  receiver.answer(accept)
  receiver.received.length = 0
})

const company = async (name: string): Promise<string> => (await workspace.api.post('/companies', { name })).body.data.id
const caughtUp = (id: string) => webhookWhere(workspace.api, id, ({ position: { behind } }) => behind === 0)
const idle = async (id: string) => {
  await caughtUp(id)
  await eventually(
    () => deliveriesOf(workspace.api, id, '&state=waiting'),
    (some) => some.length === 0,
  )
}

it('3xx is failure, and redirects are not followed', async () => {
  const { api } = workspace
  const target = await newReceiver()
  const { id } = await hookTo(api, receiver)
  let redirects = 1
  receiver.answer((received, response, request) => {
    if (redirects-- > 0) response.writeHead(301, { Location: target.url }).end()
    else accept(received, response, request)
  })
  await company('Moved')
  await receiver.until(2)
  await idle(id)
  const [delivery] = await deliveriesOf(api, id)
  expect(delivery?.attributes.attempts.map(({ status, error }) => [status, error])).toEqual([
    [301, 'redirect'],
    [204, null],
  ])
  expect(target.received).toEqual([])
  await api.delete(`/webhooks/${id}`)
})

it('Retry-After of 429 and 503 is respected', async () => {
  const { api } = workspace
  const { id } = await hookTo(api, receiver)
  const statuses = [429, 503]
  receiver.answer((received, response, request) => {
    const status = statuses.shift()
    if (status) response.writeHead(status, { 'Retry-After': '1' }).end()
    else accept(received, response, request)
  })
  await company('Patient')
  const [first, second, third] = await receiver.until(3)
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990)
  expect((third?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThanOrEqual(990)
  await api.delete(`/webhooks/${id}`)
})

it('410 disables the endpoint at once, with a mail; active again, it continues at its position', async () => {
  const { api, owner } = workspace
  const { id } = await hookTo(api, receiver)
  receiver.answer((_received, response) => response.writeHead(410).end())
  await company('Gone')
  const { reason } = await webhookWhere(api, id, ({ state }) => state === 'disabled')
  expect(reason).toBe('gone')
  await company('Later')
  const letter = await eventually(
    async () => post.letters.find((one) => one.includes('is disabled')),
    (one) => one !== undefined,
  )
  expect(letter).toContain(owner.email)
  expect(receiver.received).toHaveLength(1)
  receiver.answer(accept)
  await api.patch(`/webhooks/${id}`, { state: 'active' })
  await receiver.until(3)
  const names = receiver.received.map(({ body }) => body.data.record.attributes.name)
  expect(names.slice(1).toSorted()).toEqual(['Gone', 'Later'])
  await api.delete(`/webhooks/${id}`)
})

it('a receiver that returns garbage or is killed gets the event again', async () => {
  const { api } = workspace
  const { id } = await hookTo(api, receiver)
  const ways = [
    (socket: NodeJS.WritableStream) => socket.end('HTTP/1.1 huh\r\n\r\n'),
    (socket: NodeJS.WritableStream & { destroy?(): void }) => socket.destroy?.(),
  ]
  receiver.answer((received, response, request) => {
    const way = ways.shift()
    if (way) way(request.socket)
    else accept(received, response, request)
  })
  await company('Garbage')
  await receiver.until(3)
  await idle(id)
  const [delivery] = await deliveriesOf(api, id)
  const attempts = delivery?.attributes.attempts.map(({ status, error }) => [status, error])
  expect(attempts).toEqual([
    [null, 'invalid_response'],
    [null, 'connection'],
    [204, null],
  ])
  await api.delete(`/webhooks/${id}`)
})

it('after 20 failures in a row it is failing: one at a time, the position stays, and one success makes it active', async () => {
  const { api } = workspace
  const { id } = await hookTo(api, receiver, { max_in_flight: 5 })
  receiver.answer((_received, response) => response.writeHead(500).end())
  const records = await Promise.all(Array.from({ length: 12 }, (_, index) => company(`Down ${index}`)))
  const failing = await webhookWhere(api, id, ({ state }) => state === 'failing')
  const seen = receiver.received.length
  const last = await company('Not tried yet')
  await receiver.until(seen + 10)
  expect((await webhookWhere(api, id, () => true)).position.sequence).toBe(failing.position.sequence)
  expect(receiver.received.some(({ body }) => body.data.record_id === last)).toBe(false)
  const order = receiver.received.slice(-5).map(({ at }) => at)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  receiver.answer(accept)
  const { state, reason } = await webhookWhere(api, id, (one) => one.state === 'active')
  expect({ state, reason }).toEqual({ state: 'active', reason: null })
  await idle(id)
  const delivered = await deliveriesOf(api, id, '&state=delivered')
  expect(new Set(delivered.map(({ attributes }) => attributes.record_id))).toEqual(new Set([...records, last]))
  expect(await deliveriesOf(api, id, '&state=failed')).toEqual([])
  await api.delete(`/webhooks/${id}`)
})

it('an endpoint that hangs does not affect others', async () => {
  const { api } = workspace
  const other = await newReceiver()
  const { id: hanging } = await hookTo(api, receiver)
  const { id } = await hookTo(api, other)
  receiver.answer(() => {})
  for (let index = 0; index < 12; index++) await company(`While one hangs ${index}`)
  await other.until(12)
  await caughtUp(id)
  expect(receiver.most()).toBeLessThanOrEqual(5)
  expect((await webhookWhere(api, hanging, () => true)).position.behind).toBeGreaterThan(0)
  for (const one of [hanging, id]) await api.delete(`/webhooks/${one}`)
})
