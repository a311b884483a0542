import { randomBytes } from 'node:crypto'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from '../../../src/storage/engines/sql.ts'
import { type TestDatabase, testDatabase } from '../../engine.ts'
import { type Serving, serveHere } from '../../setup/serve-here.ts'
import { newWorkspace, runtimeAt, type TestWorkspace } from '../../workspace.ts'

const WEBHOOK_SECRET = 'whsec_made_for_this_test'
const PAST = '2020-01-01T00:00:00.000Z'

let database: TestDatabase
let service: Serving
let runtime: ReturnType<typeof runtimeAt>

beforeAll(async () => {
  database = await testDatabase()
  const SECRET = randomBytes(32).toString('hex')
  const env = { DATABASE_URL: database.url, SECRET, HOSTED: 'true', STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET }
  service = await serveHere(env)
  runtime = runtimeAt(database.url, SECRET)
})

afterAll(async () => {
  await runtime.engine.close()
  await service.stop()
  await database.drop()
})

/** A workspace whose trial is over. */
async function endedTrial(): Promise<TestWorkspace> {
  const workspace = await newWorkspace({ url: service.url, runtime })
  await runtime.engine.transaction((inside) =>
    sql`update workspaces set trial_ends_at = ${PAST} where id = ${workspace.id}`.run(inside),
  )
  expect((await workspace.api.get('/companies')).status).toBe(402)
  return workspace
}

type Sent = { type: string; object: object; created?: number; secret?: string }

async function sendEvent({ type, object, created = 1_800_000_000, secret = WEBHOOK_SECRET }: Sent): Promise<number> {
  const payload = JSON.stringify({ id: 'evt_1', object: 'event', type, created, data: { object } })
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret })
  const response = await fetch(`${service.url}/api/stripe/webhook`, {
    method: 'POST',
    body: payload,
    headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
  })
  return response.status
}

function subscription(workspace: TestWorkspace, status: string) {
  return {
    id: `sub_${workspace.slug}`,
    status,
    customer: `cus_${workspace.slug}`,
    metadata: { workspace_id: workspace.id },
  }
}

describe('subscription states are kept by verified Stripe webhooks', () => {
  it.each([
    ['active', 200],
    ['past_due', 200],
    ['trialing', 200],
    ['canceled', 402],
    ['unpaid', 402],
    ['incomplete', 402],
  ])('a subscription that is %s answers %i', async (status, expected) => {
    const workspace = await endedTrial()
    const event = { type: 'customer.subscription.updated', object: subscription(workspace, status) }
    expect(await sendEvent(event)).toBe(200)
    expect((await workspace.api.get('/companies')).status).toBe(expected)
  })

  it('a completed checkout opens the workspace, and later events find it by its customer', async () => {
    const workspace = await endedTrial()
    const customer = `cus_${workspace.slug}`
    const object = { customer, subscription: `sub_${workspace.slug}`, client_reference_id: workspace.id }
    expect(await sendEvent({ type: 'checkout.session.completed', object })).toBe(200)
    expect((await workspace.api.get('/companies')).status).toBe(200)
    const ended = { id: `sub_${workspace.slug}`, status: 'canceled', customer, metadata: {} }
    expect(await sendEvent({ type: 'customer.subscription.deleted', object: ended, created: 1_800_000_001 })).toBe(200)
    expect((await workspace.api.get('/companies')).status).toBe(402)
  })

  it('an event that is older than the last one applied changes nothing', async () => {
    const workspace = await endedTrial()
    const type = 'customer.subscription.updated'
    await sendEvent({ type, object: subscription(workspace, 'active'), created: 1_800_000_010 })
    await sendEvent({ type, object: subscription(workspace, 'canceled'), created: 1_800_000_005 })
    expect((await workspace.api.get('/companies')).status).toBe(200)
  })

  it('an event with a wrong signature is refused and changes nothing', async () => {
    const workspace = await endedTrial()
    const object = subscription(workspace, 'active')
    expect(await sendEvent({ type: 'customer.subscription.updated', object, secret: 'whsec_of_somebody_else' })).toBe(
      422,
    )
    expect((await workspace.api.get('/companies')).status).toBe(402)
  })

  it('an event of a kind or a customer that is not known is taken and changes nothing', async () => {
    expect(await sendEvent({ type: 'invoice.paid', object: { id: 'in_1' } })).toBe(200)
    const object = { id: 'sub_x', status: 'active', customer: 'cus_nobody', metadata: {} }
    expect(await sendEvent({ type: 'customer.subscription.updated', object })).toBe(200)
  })
})
