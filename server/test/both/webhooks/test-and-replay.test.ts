import { Webhook } from 'standardwebhooks'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pathsOf } from '../jobs/jobs.ts'
import { accept, deliveriesOf, eventually, hookTo, webhookWhere } from './receiver.ts'
import { type WebhookWorld, webhookWorld } from './world.ts'

let workspace: WebhookWorld['workspace']
let receiver: WebhookWorld['receiver']

beforeAll(async () => {
  ;({ workspace, receiver } = await webhookWorld({ WEBHOOK_RETRIES: '0.1' }))
})

beforeEach(() => receiver.reset())

describe('POST /v1/webhooks/{id}/test', () => {
  it('sends webhook.test now and returns its delivery, whatever the receiver returned', async () => {
    const { api } = workspace
    const { id, secret } = await hookTo(api, receiver)
    const { position } = await webhookWhere(api, id, () => true)
    const tested = await api.post(`/webhooks/${id}/test`)
    expect(tested.status, tested.text).toBe(200)
    const [received] = receiver.received
    const { text, headers, body } = received ?? expect.fail()
    expect(new Webhook(secret).verify(text, headers)).toEqual(body)
    expect(body).toEqual({ type: 'webhook.test', timestamp: expect.any(String), data: { endpoint_id: id } })
    expect(tested.body.data).toMatchObject({
      type: 'deliveries',
      attributes: {
        event_id: headers['webhook-id'],
        type: 'webhook.test',
        record_id: null,
        sequence: null,
        state: 'delivered',
        replay: false,
        attempts: [{ status: 204, error: null }],
      },
    })
    receiver.answer((_received, response) => response.writeHead(500).end('broken'))
    const failed = await api.post(`/webhooks/${id}/test`)
    expect(failed.status).toBe(200)
    expect(failed.body.data.attributes).toMatchObject({
      state: 'failed',
      next_attempt_at: null,
      attempts: [{ status: 500, error: 'status', response: { body: 'broken' } }],
    })
    expect((await deliveriesOf(api, id)).map(({ id }) => id)).toEqual([failed.body.data.id, tested.body.data.id])
    expect((await webhookWhere(api, id, () => true)).position).toEqual(position)
    expect(receiver.received).toHaveLength(2)
    await api.delete(`/webhooks/${id}`)
  })

  it('sends it once for the same Idempotency-Key', async () => {
    const { api } = workspace
    const { id } = await hookTo(api, receiver)
    const headers = { 'Idempotency-Key': 'one-test' }
    const answers = await Promise.all([1, 2].map(() => api.post(`/webhooks/${id}/test`, undefined, { headers })))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(receiver.received).toHaveLength(1)
    await api.delete(`/webhooks/${id}`)
  })
})

describe('POST /v1/webhooks/{id}/replay', () => {
  it('sends events again: by id, by sequences, by times, or those that were given up', async () => {
    const { api } = workspace
    const { id } = await hookTo(api, receiver, { types: ['companies.*'] })
    const since = new Date().toISOString()
    const company = (await api.post('/companies', { name: 'A' })).body.data.id
    for (const name of ['B', 'C', 'D']) await api.patch(`/companies/${company}`, { name })
    await api.post('/people', { name: 'Not for this endpoint' })
    await receiver.until(4)
    const first = [...receiver.received]
    const ids = first.map(({ headers }) => headers['webhook-id'])
    const sequences = first.map(({ body }) => body.data.sequence)
    const before = await webhookWhere(api, id, ({ position: { behind } }) => behind === 0)
    const forms = [
      [{ event_id: ids[2] }, [ids[2]]],
      [{ from_sequence: sequences[1], to_sequence: sequences[2] }, ids.slice(1, 3)],
      [{ since, until: new Date().toISOString() }, ids],
      [{ only: 'failed' }, []],
    ] as const
    for (const [form, expected] of forms) {
      receiver.received.length = 0
      const replayed = await api.post(`/webhooks/${id}/replay`, form)
      expect(replayed.status, replayed.text).toBe(202)
      expect(replayed.body).toEqual({ meta: { count: expected.length } })
      await receiver.until(expected.length)
      expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(expected)
      expect(receiver.received.every(({ headers }) => headers['kith-replay'] === 'true')).toBe(true)
      const sent = () => deliveriesOf(api, id, '&state=waiting')
      await eventually(sent, (waiting) => waiting.length === 0)
    }
    expect((await webhookWhere(api, id, () => true)).position).toEqual(before.position)
    const log = await deliveriesOf(api, id)
    expect(log.filter(({ attributes }) => attributes.replay)).toHaveLength(7)
    expect((await deliveriesOf(api, id, `&record_id=${company}`)).length).toBe(log.length)
    await api.delete(`/webhooks/${id}`)
  })

  it('replays what was given up, in its order, and again only if it fails again', async () => {
    const { api } = workspace
    const { id } = await hookTo(api, receiver, { types: ['companies.*'] })
    receiver.answer((_received, response) => response.writeHead(400).end())
    const company = (await api.post('/companies', { name: 'Given up' })).body.data.id
    await api.patch(`/companies/${company}`, { name: 'Given up, too' })
    const failed = await eventually(
      () => deliveriesOf(api, id, '&state=failed'),
      (some) => some.length === 2,
    )
    receiver.received.length = 0
    receiver.answer(accept)
    expect((await api.post(`/webhooks/${id}/replay`, { only: 'failed' })).body.meta.count).toBe(2)
    await receiver.until(2)
    const expected = failed.toReversed().map(({ attributes }) => attributes.event_id)
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(expected)
    expect((await api.post(`/webhooks/${id}/replay`, { only: 'failed' })).body.meta.count).toBe(0)
    await api.delete(`/webhooks/${id}`)
  })

  it.each([
    [{}, ['body']],
    [{ event_id: 'x' }, ['event_id']],
    [{ event_id: '01kb8w4d5e6f7g8h9j0k1m2n3p' }, ['event_id']],
    [{ from_sequence: 1 }, ['to_sequence']],
    [{ from_sequence: 5, to_sequence: 2 }, ['to_sequence']],
    [{ since: '2026-01-01' }, ['until']],
    [{ since: 'soon', until: '2026-01-01' }, ['since']],
    [{ only: 'delivered' }, ['only']],
    [{ only: 'failed', event_id: '01kb8w4d5e6f7g8h9j0k1m2n3p' }, ['body']],
    [{ only: 'failed', all: true }, ['all']],
  ])('refuses what it does not know: %#', async (sent, paths) => {
    const { api } = workspace
    const { id } = await hookTo(api, receiver)
    const answer = await api.post(`/webhooks/${id}/replay`, sent)
    expect(pathsOf(answer)).toEqual(paths)
    await api.delete(`/webhooks/${id}`)
  })
})
