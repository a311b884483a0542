import { setTimeout } from 'node:timers/promises'
import { DAY_MS } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { Webhook } from 'standardwebhooks'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { enterAsMember } from '../../../src/accounts/workspace.ts'
import { createRecord } from '../../../src/records/write.ts'
import { expireChanges } from '../../../src/runtime/retention.ts'
import { sql } from '../../../src/storage/engines/sql.ts'
import { createWebhook } from '../../../src/webhooks/update-webhook.ts'
import { eventually, hookTo, webhookWhere } from './receiver.ts'
import { type WebhookWorld, webhookWorld } from './world.ts'

let service: WebhookWorld['service']
let workspace: WebhookWorld['workspace']
let receiver: WebhookWorld['receiver']

beforeAll(async () => {
  ;({ service, workspace, receiver } = await webhookWorld({ HOSTED: 'true', APP_URL: 'http://crm.test' }))
})

beforeEach(() => receiver.reset())

/** Requests of an endpoint that was deleted before can still come. */
const receivedBy = (id: string) => receiver.received.filter(({ headers }) => headers['kith-endpoint'] === id)
const typesIn = () => receiver.received.map(({ body }) => body.type)
const company = async (body: object): Promise<string> => (await workspace.api.post('/companies', body)).body.data.id

/** Delivers everything to the endpoint so far, by one more event. */
async function upTo(id: string, count: number): Promise<void> {
  await receiver.until(count)
  await webhookWhere(workspace.api, id, ({ position: { behind } }) => behind === 0)
  await workspace.api.delete(`/webhooks/${id}`)
  expect(receiver.received).toHaveLength(count)
}

it('sends the types that the endpoint names, and thin payloads without the record', async () => {
  const { api } = workspace
  const { id } = await hookTo(api, receiver, { types: ['people.*', 'companies.deleted'], payload: 'thin' })
  const acme = await company({ name: 'Acme' })
  await api.post('/people', { name: 'Ada' })
  await api.delete(`/companies/${acme}`)
  await upTo(id, 2)
  expect(typesIn().toSorted()).toEqual(['companies.deleted', 'people.created'])
  expect(receiver.received.every(({ body }) => !('record' in body.data))).toBe(true)
})

it('payload=diff has the values before and after; over 256 KiB they are left out with the record', async () => {
  const { api } = workspace
  const { id } = await hookTo(api, receiver, { types: ['*'], payload: 'diff', max_in_flight: 1 })
  const acme = await company({ name: 'Acme' })
  await receiver.until(1)
  await api.patch(`/companies/${acme}`, { name: 'Acme Inc.' })
  await receiver.until(2)
  const note = (await api.post('/notes', { title: 'Long' })).body.data.id
  await receiver.until(3)
  await api.patch(`/notes/${note}`, { custom_fields: { body: 'ü'.repeat(200_000) } })
  await upTo(id, 4)
  const [created, updated, , large] = receiver.received.map(({ body }) => body.data)
  expect([created.changes, created.record.id]).toEqual([[], acme])
  expect(updated.changes).toEqual([{ field: 'name', before: 'Acme', after: 'Acme Inc.', truncated: false }])
  expect(Object.keys(updated).slice(6, 9)).toEqual(['changed', 'changes', 'merged_into'])
  expect(large).toMatchObject({ changed: ['custom_fields.body'], truncated: true })
  expect('record' in large || 'changes' in large).toBe(false)
})

it('applies filter and changed by resource, and left comes with updated and restored', async () => {
  const { api } = workspace
  const { id } = await hookTo(api, receiver, {
    types: ['companies.*'],
    filter: { companies: { name: { $contains: 'labs' } } },
    changed: { companies: ['name'] },
    max_in_flight: 1,
  })
  const labs = await company({ name: 'Acme Labs' })
  await receiver.until(1)
  await company({ name: 'Other' })
  await api.patch(`/companies/${labs}`, { account_owner_id: workspace.owner.id })
  await api.patch(`/companies/${labs}`, { name: 'Acme Labs Ltd' })
  await receiver.until(2)
  await api.patch(`/companies/${labs}`, { name: 'Acme' })
  await upTo(id, 3)
  expect(typesIn()).toEqual(['companies.created', 'companies.updated', 'companies.left'])
  expect(receiver.received[2]?.body.data).toMatchObject({ kind: 'left', record: null, changed: [] })
})

it('keeps the meaning of a filter when an option is renamed, and is disabled when the option is deleted', async () => {
  const { api } = workspace
  const { code, options } = await workspace.field('companies', {
    name: 'Tier',
    type: 'select',
    options: ['Gold', 'Silver', 'Bronze'],
  })
  const [gold, silver] = options.map((option) => option.id)
  const filterBy = (first: string | undefined, second: string | undefined) => ({
    companies: {
      $or: [{ custom_fields: { [code]: { $eq: first } } }, { custom_fields: { [code]: { $in: [second] } } }],
    },
  })
  const { id } = await hookTo(api, receiver, { types: ['companies.*'], filter: filterBy('gold', silver) })
  const shown = async () => (await api.get(`/webhooks/${id}`)).body.data.attributes
  expect((await shown()).filter).toEqual(filterBy('Gold', silver))
  await workspace.updateField('companies', code, { rename_options: [{ from: 'Gold', to: 'Platinum' }] })
  await company({ name: 'First', custom_fields: { [code]: 'Platinum' } })
  await company({ name: 'Second', custom_fields: { [code]: 'Silver' } })
  await company({ name: 'Third', custom_fields: { [code]: 'Bronze' } })
  await receiver.until(2)
  const caughtUp = await webhookWhere(api, id, ({ position: { behind } }) => behind === 0)
  expect(caughtUp).toMatchObject({ state: 'active', filter: filterBy('Platinum', silver) })
  const names = receiver.received.map(({ body }) => body.data.record.attributes.name)
  expect(names.toSorted()).toEqual(['First', 'Second'])
  // Another option that takes the label means something else.
  await workspace.updateField('companies', code, { add_options: ['Gold'], remove_options: [gold] })
  await company({ name: 'Fourth', custom_fields: { [code]: 'Gold' } })
  const { reason, filter } = await webhookWhere(api, id, ({ state }) => state === 'disabled')
  expect([reason, filter]).toEqual(['filter', filterBy('Gold', silver)])
  expect(receiver.received).toHaveLength(2)
  await api.delete(`/webhooks/${id}`)
})

it('exclude_own leaves out what the token that created the endpoint did', async () => {
  const { api } = workspace
  const other = await workspace.token()
  const [all, foreign] = [await hookTo(api, receiver), await hookTo(api, receiver, { exclude_own: true })]
  await company({ name: 'Own' })
  await other.post('/companies', { name: 'Of another token' })
  await receiver.until(3)
  expect(receivedBy(all.id).map(({ body }) => body.data.origin.own)).toEqual(expect.arrayContaining([true, false]))
  expect(receivedBy(foreign.id).map(({ body }) => body.data.record.attributes.name)).toEqual(['Of another token'])
  for (const { id } of [all, foreign]) await api.delete(`/webhooks/${id}`)
})

it('exclude_own of an endpoint created in the application leaves out what its creator did there', async () => {
  const { api, slug, owner } = workspace
  const { runtime } = service
  const inApp = await enterAsMember(runtime, slug, owner.id)
  const colleague = await enterAsMember(runtime, slug, (await workspace.member('member')).id)
  const body = { url: receiver.url, types: ['companies.*'], exclude_own: true }
  const rules = { allow: { hosts: [], networks: ['127.0.0.0/8'] }, own: [] }
  const { id } = await createWebhook(inApp, { body, rules })
  const asked = { raw: {}, loose: true, issues: [] }
  await createRecord(inApp, registry.companies, { body: { name: 'By the creator' }, asked })
  await createRecord(colleague, registry.companies, { body: { name: 'By a colleague' }, asked })
  await company({ name: "By the creator's token" })
  await upTo(id, 2)
  const names = receiver.received.map(({ body }) => body.data.record.attributes.name)
  expect(names.toSorted()).toEqual(['By a colleague', "By the creator's token"])
  expect(receiver.received.map(({ body }) => body.data.origin.own)).toEqual([false, false])
  expect((await api.get(`/webhooks/${id}`)).status).toBe(404)
})

it('over 256 KiB the record is left out and truncated is true', async () => {
  const { api } = workspace
  const { code } = await workspace.field('companies', { name: 'Story', type: 'rich-text' })
  const { id } = await hookTo(api, receiver, { types: ['companies.created'] })
  await company({ name: 'Long', custom_fields: { [code]: 'ä'.repeat(200_000) } })
  await upTo(id, 1)
  const { data } = receiver.received[0]?.body ?? expect.fail()
  expect(data.truncated).toBe(true)
  expect('record' in data).toBe(false)
  expect(data.cursor).toBeTypeOf('string')
})

it('during a rotation there are two signatures, the new one first', async () => {
  const { api } = workspace
  const { id, secret } = await hookTo(api, receiver)
  const rotated = (await api.put(`/webhooks/${id}/rotate`, { keep_hours: 1 })).body.data.attributes.secret
  await api.post(`/webhooks/${id}/test`)
  const [{ headers, text } = expect.fail()] = receiver.received
  const signatures = headers['webhook-signature']?.split(' ') ?? []
  expect(signatures).toHaveLength(2)
  for (const [index, one] of [rotated, secret].entries()) {
    const signed = { ...headers, 'webhook-signature': signatures[index] ?? '' }
    expect(() => new Webhook(one).verify(text, signed)).not.toThrow()
  }
  const last = (await api.put(`/webhooks/${id}/rotate`, { keep_hours: 0 })).body.data.attributes.secret
  await api.post(`/webhooks/${id}/test`)
  expect(receiver.received[1]?.headers['webhook-signature']).not.toContain(' ')
  expect(() =>
    new Webhook(last).verify(receiver.received[1]?.text ?? '', receiver.received[1]?.headers ?? {}),
  ).not.toThrow()
  await api.delete(`/webhooks/${id}`)
})

it('a paused endpoint, and one of a paused workspace, gets nothing and continues at its position', async () => {
  const { api } = workspace
  const { id } = await hookTo(api, receiver)
  await api.patch(`/webhooks/${id}`, { state: 'paused' })
  await company({ name: 'While paused' })
  await api.patch(`/webhooks/${id}`, { state: 'active' })
  await receiver.until(1)
  const { single } = service.runtime.engine
  const pause = (at: string | null) =>
    sql`update workspaces set paused_at = ${at} where id = ${workspace.id}`.run(single)
  await pause(new Date().toISOString())
  expect((await api.get('/companies')).status).toBe(402)
  // The node may know the rights of a second ago.
  await setTimeout(1100)
  const sent = { body: { name: 'Written by the operator' }, asked: { raw: {}, loose: true, issues: [] } }
  await createRecord(await workspace.scope(), registry.companies, sent)
  await setTimeout(1500)
  expect(receiver.received).toHaveLength(1)
  await pause(null)
  await receiver.until(2)
  await api.delete(`/webhooks/${id}`)
})

it('feed.reset comes first if a restore or retention has overtaken the position', async () => {
  const { api } = workspace
  const { id, secret } = await hookTo(api, receiver)
  await api.patch(`/webhooks/${id}`, { state: 'paused' })
  await company({ name: 'Missed or not' })
  // As after a restore: the position is from another epoch.
  await sql`update webhooks set epoch = 'before' where id = ${id}`.run(service.runtime.engine.single)
  await api.patch(`/webhooks/${id}`, { state: 'active' })
  await receiver.until(2)
  const [{ body, text, headers } = expect.fail()] = receiver.received
  expect(new Webhook(secret).verify(text, headers)).toEqual(body)
  expect(body.type).toBe('feed.reset')
  expect(body.data).toEqual({
    reason: 'restored',
    resync: 'http://crm.test/api/v1/changes?cursor=start',
    cursor: expect.any(String),
  })
  const oldest = (await api.get(`/changes?cursor=${body.data.cursor}&limit=1`)).body.data[0]
  expect(receiver.received[1]?.body.data.sequence).toBe(oldest.attributes.sequence)
  await api.delete(`/webhooks/${id}`)
})

it('feed.reset says expired if retention has overtaken the position', async () => {
  const { api } = workspace
  const { id, secret } = await hookTo(api, receiver)
  await api.patch(`/webhooks/${id}`, { state: 'paused' })
  await company({ name: 'Missed' })
  // Retention deletes what has a number. On PostgreSQL readers assign them.
  await api.get('/changes?cursor=now')
  const later = new Date(Date.now() + 8 * DAY_MS)
  await expireChanges(service.runtime.engine, later, { days: 7, isStopped: () => false })
  const kept = await company({ name: 'Kept' })
  await api.patch(`/webhooks/${id}`, { state: 'active' })
  await eventually(
    async () => receivedBy(id),
    (all) => all.length >= 2,
  )
  await webhookWhere(api, id, ({ position: { behind } }) => behind === 0)
  await api.delete(`/webhooks/${id}`)
  const [reset = expect.fail(), next, ...others] = receivedBy(id)
  expect(others).toEqual([])
  expect(new Webhook(secret).verify(reset.text, reset.headers)).toEqual(reset.body)
  const { type, data } = reset.body
  expect([type, data.reason, data.resync]).toEqual([
    'feed.reset',
    'expired',
    'http://crm.test/api/v1/changes?cursor=start',
  ])
  expect(next?.body.data.record_id).toBe(kept)
  const after = (await api.get(`/changes?cursor=${data.cursor}`)).body.data
  expect(after.map((entry: { id: string }) => entry.id)).toEqual([next?.body.data.id])
})

it('reads with the rights of its creator: when they leave, it is disabled', async () => {
  const person = await workspace.member('member')
  const { id } = await hookTo(await workspace.token({ user: person }), receiver)
  await company({ name: 'Before' })
  await receiver.until(1)
  await workspace.remove(person)
  await webhookWhere(workspace.api, id, ({ reason }) => reason === 'creator')
  expect((await workspace.api.patch(`/webhooks/${id}`, { state: 'active' })).status).toBe(422)
  await workspace.api.delete(`/webhooks/${id}`)
})
