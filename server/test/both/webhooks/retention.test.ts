import { newId } from '@kith/contract/id'
import { DAY_MS, DELIVERIES_MAX } from '@kith/contract/limits'
import type { DeliveryState } from '@kith/contract/webhooks/webhook'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { enterAsMember } from '../../../src/accounts/workspace.ts'
import { expireListed } from '../../../src/runtime/retention.ts'
import { inTransaction, type Scope } from '../../../src/scope/scope.ts'
import { type DeliveryRow, deliveryTable, loadDeliveries } from '../../../src/storage/tables/deliveries.ts'
import { createWebhook } from '../../../src/webhooks/update-webhook.ts'
import { newWorkspace, type TestRuntime, testRuntime } from '../../test-runtime.ts'

const rules = { allow: { hosts: [], networks: [] }, own: [] }

let runtime: TestRuntime
let scope: Scope

beforeAll(async () => {
  runtime = await testRuntime()
  const { slug, owner } = await newWorkspace(runtime)
  scope = await enterAsMember(runtime, slug, owner.id)
})

afterAll(() => runtime.engine.close())

async function newWebhook(): Promise<string> {
  return (await createWebhook(scope, { body: { url: 'https://example.com/', types: ['*'] }, rules })).id
}

/** A line of the log from so many days ago, or a moment more. */
function delivery(webhook_id: string, state: DeliveryState, { days = 0, ms = 0 }): DeliveryRow {
  const at = runtime.clock.now.getTime() - days * DAY_MS - ms
  return {
    webhook_id,
    id: newId(at),
    event_id: newId(at),
    type: 'companies.created',
    record_id: newId(at),
    sequence: 1,
    state,
    replay: 0,
    created_at: new Date(at).toISOString(),
    next_attempt_at: null,
    attempts: '',
  }
}

const log = (rows: readonly DeliveryRow[]) => inTransaction(scope, (inside) => deliveryTable.insertAll(inside, rows))
const expire = () => expireListed(runtime.engine, runtime.clock.now)

async function kept(webhook_id: string) {
  const { rows, total } = await loadDeliveries(scope, {
    webhook_id,
    state: undefined,
    record_id: undefined,
    limit: 10,
    offset: 0,
  })
  return { ids: rows.map(({ id }) => id), total }
}

it('the log is kept for 7 days, and for 30 days what was given up', async () => {
  const id = await newWebhook()
  const week = delivery(id, 'delivered', { days: 7, ms: -1000 })
  const month = delivery(id, 'failed', { days: 30, ms: -1000 })
  const waiting = delivery(id, 'waiting', { days: 40 })
  const old = [delivery(id, 'delivered', { days: 7, ms: 1000 }), delivery(id, 'failed', { days: 30, ms: 1000 })]
  await log([week, month, waiting, ...old])
  await expire()
  expect((await kept(id)).ids).toEqual([week.id, month.id, waiting.id])
})

it('of an endpoint at most the latest 10,000 are kept, and what was given up for its 30 days', async () => {
  const [id, other] = [await newWebhook(), await newWebhook()]
  const failed = delivery(id, 'failed', { days: 2 })
  const few = delivery(other, 'delivered', { days: 2 })
  const many = Array.from({ length: DELIVERIES_MAX + 600 }, (_, index) => delivery(id, 'delivered', { ms: index }))
  await log([failed, few, ...many])
  await expire()
  expect((await kept(id)).total).toBe(DELIVERIES_MAX + 1)
  expect((await kept(id)).ids).toEqual(many.slice(0, 10).map((row) => row.id))
  expect((await kept(other)).ids).toEqual([few.id])
})

it('the log of a deleted endpoint is deleted', async () => {
  const gone = newId(runtime.clock.now.getTime())
  await log([delivery(gone, 'delivered', {}), delivery(gone, 'failed', {})])
  await expire()
  expect((await kept(gone)).total).toBe(0)
})
