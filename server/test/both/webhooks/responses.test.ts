import type { ServerResponse } from 'node:http'
import { HOUR_MS } from '@kith/contract/limits'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { enterAsMember } from '../../../src/accounts/workspace.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { readTries } from '../../../src/webhooks/list-deliveries.ts'
import { postOffice } from '../../post-office.ts'
import { whenFileEnds } from '../../when-file-ends.ts'
import { accept, deliveriesOf, eventually, hookTo, newReceiver, webhookWhere } from './receiver.ts'
import { type WebhookWorld, webhookWorld } from './world.ts'

let service: WebhookWorld['service']
let workspace: WebhookWorld['workspace']
let receiver: WebhookWorld['receiver']
let post: Awaited<ReturnType<typeof postOffice>>

beforeAll(async () => {
  post = await postOffice()
  whenFileEnds(() => void post.close())
  const settings = { SMTP_URL: post.url, WEBHOOK_RETRIES: Array(40).fill('0.1').join() }
  ;({ service, workspace, receiver } = await webhookWorld(settings))
})

beforeEach(() => receiver.reset())

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

it('an event that waits is counted, with what failed last and when the next try is', async () => {
  const { api, slug, owner } = workspace
  const { id } = await hookTo(api, receiver)
  receiver.answer((_received, response) => response.writeHead(429, { 'Retry-After': '3600' }).end('later'))
  const scope = await enterAsMember(service.runtime, slug, owner.id)
  expect(await readTries(scope, id)).toEqual({ last_failure: null, next_attempt_at: null, waiting: 0 })
  const waiting = await company('Waits')
  const { position } = await webhookWhere(api, id, (one) => one.position.blocked === 1)
  const [entry] = receiver.received
  expect(position).toEqual({
    sequence: entry?.body.data.sequence,
    behind: 0,
    blocked: 1,
    oldest_at: entry?.body.timestamp,
  })
  const [delivery = expect.fail()] = await deliveriesOf(api, id)
  const [made] = delivery.attributes.attempts
  expect(await readTries(scope, id)).toEqual({
    next_attempt_at: delivery.attributes.next_attempt_at,
    waiting: 1,
    last_failure: { at: made?.at, status: 429, ms: made?.ms, error: 'status', response: made?.response },
  })
  receiver.reset()
  await api.patch(`/companies/${waiting}`, { name: 'Waits, too' })
  await api.patch(`/webhooks/${id}`, { state: 'paused' })
  await api.patch(`/webhooks/${id}`, { state: 'active' })
  await receiver.until(2)
  const after = await webhookWhere(api, id, (one) => one.position.blocked === 0 && one.position.behind === 0)
  expect(after.position.oldest_at).toBeNull()
  expect(await readTries(scope, id)).toMatchObject({ last_failure: { status: 429 }, next_attempt_at: null, waiting: 0 })
  await api.delete(`/webhooks/${id}`)
})

it('the creator and the owners get one mail when it has failed for an hour, and the first success forgets it', async () => {
  const creator = await workspace.member('member')
  const api = await workspace.token({ user: creator })
  const url = `${receiver.url}?mail`
  const { id } = await hookTo(api, receiver, { url })
  const letters = () => post.letters.filter((one) => one.includes('?mail') && one.includes('has failed for an hour'))
  // The first attempt fails, the next one is not answered yet.
  const held: ServerResponse[] = []
  receiver.answer((received, response) => {
    if (received.headers['kith-attempt'] === '1') response.writeHead(500).end()
    else held.push(response)
  })
  await company('Down for an hour')
  await webhookWhere(api, id, (one) => one.last_failure_at !== null)
  expect(letters()).toEqual([])
  // An hour later: the service has no clock that a test can move, so the stored time moves.
  const earlier = new Date(Date.now() - HOUR_MS).toISOString()
  await sql`update webhooks set failed_since = ${earlier}, revision = revision + 1 where workspace_id = ${workspace.id}
    and id = ${id}`.run(service.runtime.engine.single)
  const sent = await eventually(
    async () => letters(),
    (some) => some.length >= 2,
  )
  for (const { email } of [creator, workspace.owner]) expect(sent.join()).toContain(`To: ${email}`)
  receiver.reset()
  for (const response of held) response.writeHead(204).end()
  await webhookWhere(api, id, (one) => one.position.blocked === 0)
  const stored = await sql<{ noticed: number; failed_since: string | null }>`select noticed, failed_since from webhooks
    where workspace_id = ${workspace.id} and id = ${id}`.one(service.runtime.engine.single)
  expect(stored).toEqual({ noticed: 0, failed_since: null })
  expect(letters()).toHaveLength(2)
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
