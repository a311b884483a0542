import { Webhook } from 'standardwebhooks'
import { beforeAll, expect, it } from 'vitest'
import { accept, deliveriesOf, eventually, hookTo, webhookWhere } from './receiver.ts'
import { type WebhookWorld, webhookWorld } from './world.ts'

let workspace: WebhookWorld['workspace']
let receiver: WebhookWorld['receiver']

beforeAll(async () => {
  ;({ workspace, receiver } = await webhookWorld({ WEBHOOK_RETRIES: '0.2,0.3' }))
})

it('delivers a change as it is read in the feed, signed as Standard Webhooks says', async () => {
  const { api } = workspace
  const { id, secret } = await hookTo(api, receiver, { types: ['companies.*'] })
  const cursor = (await api.get('/changes?cursor=now')).body.meta.next_cursor
  const company = (await api.post('/companies', { name: 'Acme' })).body.data
  await api.post('/people', { name: 'Ada' })
  const [received] = await receiver.until(1)
  const { headers, text, body } = received ?? expect.fail()
  const entry = (await api.get(`/changes?cursor=${cursor}`)).body.data[0]
  expect(new Webhook(secret).verify(text, headers)).toEqual(body)
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Kith-Webhooks/1.0',
    'webhook-id': entry.id,
    'kith-endpoint': id,
    'kith-attempt': '1',
  })
  expect(headers['kith-replay']).toBeUndefined()
  expect(Object.keys(body)).toEqual(['type', 'timestamp', 'data'])
  expect(body.type).toBe('companies.created')
  expect(body.timestamp).toBe(entry.attributes.at)
  const { cursor: after, ...data } = body.data
  expect(data).toEqual({ id: entry.id, ...entry.attributes })
  expect(Object.keys(body.data)).toEqual(['id', ...Object.keys(entry.attributes), 'cursor'])
  expect(data.record.id).toBe(company.id)
  expect((await api.get(`/changes?cursor=${after}`)).body.data[0].attributes.resource).toBe('people')
  const { position, last_success_at } = await webhookWhere(api, id, ({ position: { behind } }) => behind === 0)
  expect(position.oldest_at).toBeNull()
  expect(last_success_at).toBeTypeOf('string')
  const [delivery] = await deliveriesOf(api, id)
  expect(delivery?.attributes).toMatchObject({
    event_id: entry.id,
    type: 'companies.created',
    record_id: company.id,
    sequence: entry.attributes.sequence,
    state: 'delivered',
    replay: false,
    next_attempt_at: null,
    attempts: [{ status: 204, error: null, request: { body: text } }],
  })
  expect(delivery?.attributes.attempts[0]?.request.headers['webhook-signature']).toBe('[redacted]')
  await api.delete(`/webhooks/${id}`)
})

it('retries what fails, keeps the order of each record, and gives up at the end', async () => {
  const { api } = workspace
  receiver.received.length = 0
  const { id } = await hookTo(api, receiver, { types: ['companies.*'] })
  const [bad, good] = await Promise.all(
    ['Bad', 'Good'].map(async (name) => (await api.post('/companies', { name })).body.data.id),
  )
  let failures = 2
  receiver.answer((received, response, request) => {
    if (received.body.data.record_id === bad && failures-- > 0) response.writeHead(500).end('no')
    else accept(received, response, request)
  })
  for (const name of ['1', '2']) for (const one of [bad, good]) await api.patch(`/companies/${one}`, { name })
  await receiver.until(8)
  const of = (record: string) => receiver.received.filter(({ body }) => body.data.record_id === record)
  const sequences = (record: string) => of(record).map(({ body }) => body.data.sequence)
  expect(sequences(good)).toEqual(sequences(good).toSorted((a, b) => a - b))
  expect(of(good)).toHaveLength(3)
  expect(of(bad).map(({ headers }) => headers['kith-attempt'])).toEqual(['1', '2', '3', '1', '1'])
  expect(
    new Set(
      of(bad)
        .slice(0, 3)
        .map(({ headers }) => headers['webhook-id']),
    ).size,
  ).toBe(1)
  failures = 3
  await api.patch(`/companies/${bad}`, { name: '3' })
  await api.patch(`/companies/${bad}`, { name: '4' })
  await receiver.until(12)
  const failed = await eventually(
    () => deliveriesOf(api, id, '&state=failed'),
    (some) => some.length > 0,
  )
  expect(failed[0]?.attributes.attempts).toMatchObject([500, 500, 500].map((status) => ({ status, error: 'status' })))
  await api.delete(`/webhooks/${id}`)
})
