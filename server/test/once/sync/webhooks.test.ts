import { createClient, verifyWebhook } from '@kith/sdk'
import { beforeAll, expect, it } from 'vitest'
import { KithTrigger } from '../../../../examples/n8n/kith-trigger.ts'
import { type WebhookWorld, webhookWorld } from '../../both/webhooks/world.ts'

let service: WebhookWorld['service']
let workspace: WebhookWorld['workspace']
let receiver: WebhookWorld['receiver']
beforeAll(async () => {
  ;({ service, workspace, receiver } = await webhookWorld())
})

async function client() {
  const { token } = await workspace.token()
  return { kith: createClient({ url: `${service.url}/api`, token }), token }
}

it('the client makes, tests, pauses, rotates, replays and deletes endpoints, and reads their log', async () => {
  const { kith } = await client()
  const filter = { companies: { name: { $contains: 'acme' } } }
  const { data: made } = await kith.webhooks.create({ url: receiver.url, types: ['companies.*'], filter })
  const tested = await kith.webhooks.test(made.id)
  expect(tested.data.attributes).toMatchObject({ type: 'webhook.test', state: 'delivered' })
  const company = await kith.companies.create({ name: 'Acme' })
  const [, change] = await receiver.until(2)
  const event = await verifyWebhook(change?.headers ?? {}, change?.text ?? '', made.attributes.secret)
  expect(event).toMatchObject({ type: 'companies.created', data: { record: { id: company.data.id } } })
  const rotated = await kith.webhooks.rotate(made.id, { keep_hours: 1 })
  expect(rotated.data.attributes.secret).not.toBe(made.attributes.secret)
  const event_id = change?.headers['webhook-id'] ?? ''
  expect(await kith.webhooks.replay(made.id, { event_id })).toEqual({ meta: { count: 1 } })
  const [, , replayed] = await receiver.until(3)
  for (const secret of [made.attributes.secret, rotated.data.attributes.secret]) {
    expect(await verifyWebhook(replayed?.headers ?? {}, replayed?.text ?? '', secret)).toMatchObject({
      data: { id: event_id },
    })
  }
  const { data: delivery } = await kith.webhooks.delivery(made.id, tested.data.id)
  expect(delivery).toEqual(tested.data)
  const types: string[] = []
  for await (const { attributes } of kith.webhooks.deliveries(made.id).all()) types.push(attributes.type)
  expect(types).toContain('webhook.test')
  expect((await kith.webhooks.update(made.id, { state: 'paused' })).data.attributes.state).toBe('paused')
  expect((await kith.webhooks.list()).data.map(({ id }) => id)).toEqual([made.id])
  await kith.webhooks.delete(made.id)
  await expect(kith.webhooks.read(made.id)).rejects.toMatchObject({ kind: 'not_found' })
})

it('the n8n trigger registers itself, starts a workflow for each signed event, and removes itself', async () => {
  const trigger = new KithTrigger()
  const { kith, token } = await client()
  const state: { webhookId?: string; secret?: string } = {}
  const hooks = {
    getNodeWebhookUrl: () => receiver.url,
    getNodeParameter: () => ['people.created'],
    getCredentials: async () => ({ url: `${service.url}/api`, token }),
    getWorkflowStaticData: () => state,
  }
  const { checkExists, create, delete: remove } = trigger.webhookMethods.default
  const before = receiver.received.length
  expect(await checkExists.call(hooks)).toBe(false)
  await create.call(hooks)
  expect(await checkExists.call(hooks)).toBe(true)
  await kith.people.create({ name: 'By the workflow itself' })
  await workspace.api.post('/people', { name: 'Ada' })
  const received = (await receiver.until(before + 1))[before]
  const sent = { headers: received?.headers ?? {}, rawBody: Buffer.from(received?.text ?? '') }
  const start = (rawBody: Uint8Array) =>
    trigger.webhook.call({ ...hooks, getRequestObject: () => ({ ...sent, rawBody }) })
  expect(await start(sent.rawBody)).toMatchObject({
    workflowData: [[{ json: { type: 'people.created', data: { record: { attributes: { name: 'Ada' } } } } }]],
  })
  expect(await start(Buffer.from('{}'))).toMatchObject({ webhookResponse: { status: 400 } })
  await remove.call(hooks)
  expect([state, (await kith.webhooks.list()).data]).toEqual([{}, []])
})

it('the n8n trigger offers the events of every resource of the workspace, which an endpoint accepts', async () => {
  const { kith, token } = await client()
  await kith.schema.createResource({ name: 'Projects', singular: 'Project' })
  const credentials = { getCredentials: async () => ({ url: `${service.url}/api`, token }) }
  const events = await new KithTrigger().methods.loadOptions.events.call(credentials)
  expect(events).toContainEqual({ name: 'Projects: created', value: 'projects.created' })
  expect(events).toContainEqual({ name: 'Companies: all', value: 'companies.*' })
  const types = events.map(({ value }) => value)
  const made = await kith.webhooks.create({ url: receiver.url, types })
  expect(made.data.attributes.types).toEqual(types)
  await kith.webhooks.delete(made.data.id)
})
