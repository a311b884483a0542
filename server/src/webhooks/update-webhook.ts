import { HOUR_MS, KEEP_HOURS_DEFAULT, KEEP_HOURS_MAX } from '@kith/contract/limits'
import { refuseValue } from '@kith/contract/refusal'
import { noteWrite } from '../audit/write.ts'
import { findBeginning } from '../changes/position.ts'
import { definitionsOf } from '../fields/definitions.ts'
import { parseWhole } from '../fields/sent.ts'
import { requireAbilities } from '../records/allow.ts'
import { type Fields, readInput } from '../scope/read-input.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { abandonWaiting } from '../storage/tables/deliveries.ts'
import {
  clearBlocked,
  deleteWebhook,
  replaceWebhook,
  retryBlockedAt,
  type WebhookRow,
} from '../storage/tables/webhooks.ts'
import { parseWebhookUpdate } from './parse-webhook.ts'
import { presentOne, type WebhookObject } from './present-webhook.ts'
import { newWebhookSecret, sealSecret } from './secrets.ts'
import type { UrlRules } from './send/allowed-url.ts'
import { requireLockedWebhook } from './webhook.ts'

type Sent = { id: string; body: unknown; rules: UrlRules }

/** Changes what is sent, and keeps the rest. */
export async function updateWebhook(scope: Scope, { id, body, rules }: Sent): Promise<WebhookObject> {
  requireAbilities(scope, ['update'])
  const definitions = await definitionsOf(scope)
  return inTransaction(scope, async (inside) => {
    const before = await requireLockedWebhook(inside, id)
    const { columns, state, from } = parseWebhookUpdate(body, { definitions, rules }, before.state)
    if (state === 'active' && before.reason === 'creator') refuseOrphan()
    const changes: Partial<WebhookRow> = {
      ...columns,
      ...(state === undefined ? {} : { state, reason: null }),
      ...(from === undefined ? {} : await movedTo(inside, before, from)),
    }
    // What failed before says nothing about the endpoint as it is now.
    const startsAgain = (state === 'active' && before.state !== 'active') || (columns.url ?? before.url) !== before.url
    if (startsAgain) Object.assign(changes, await startAgain(inside, before))
    const after = await store(inside, before, changes)
    return presentOne(inside, after, definitions)
  })
}

function refuseOrphan(): never {
  const message = 'The member who created the webhook has left, and it reads with their rights. Create a new one.'
  return refuseValue('state', message)
}

/** Everything before the new position is given up. It can be replayed. */
async function movedTo(inside: Scope, { id }: WebhookRow, from: string): Promise<Partial<WebhookRow>> {
  const { epoch, sequence } = await findBeginning(inside, from, 'from')
  await clearBlocked(inside, id)
  await abandonWaiting(inside, id)
  return { epoch, sequence }
}

async function startAgain(inside: Scope, { id, state }: WebhookRow): Promise<Partial<WebhookRow>> {
  await retryBlockedAt(inside, id, inside.now().toISOString())
  const active = state === 'failing' ? { state: 'active' as const } : {}
  return { failures: 0, failed_since: null, noticed: 0, notice: null, ...active }
}

async function store(inside: Scope, before: WebhookRow, changes: Partial<WebhookRow>): Promise<WebhookRow> {
  const differing = Object.entries(changes).filter(([key, value]) => before[key as keyof WebhookRow] !== value)
  if (differing.length === 0) return before
  const updated_at = inside.now().toISOString()
  const stored = { ...changes, revision: before.revision + 1, updated_at }
  await replaceWebhook(inside, before.id, stored)
  const audited = differing.filter(([key]) => SHOWN.has(key))
  const entry = { action: 'update', resource: 'webhooks', record_id: before.id, name: before.url } as const
  const noted = audited.map(([key, value]) => [key, before[key as keyof WebhookRow], value] as const)
  if (noted.length > 0) await noteWrite(inside, [{ ...entry, changes: noted }])
  return { ...before, ...stored }
}

const SHOWN = new Set(
  'url types description filter changed payload exclude_own max_in_flight state sequence'.split(' '),
)

/** Deletes an endpoint. Deliveries stop. */
export function removeWebhook(scope: Scope, id: string): Promise<void> {
  requireAbilities(scope, ['delete'])
  return inTransaction(scope, async (inside) => {
    const webhook = await requireLockedWebhook(inside, id)
    await deleteWebhook(inside, webhook.id)
    await noteWrite(inside, [{ action: 'delete', resource: 'webhooks', record_id: webhook.id, name: webhook.url }])
  })
}

/** Gives an endpoint a new secret, which is shown this once. For a time the old one signs as well. */
export async function rotateSecret(scope: Scope, id: string, body: unknown): Promise<WebhookObject> {
  requireAbilities(scope, ['update'])
  const definitions = await definitionsOf(scope)
  return inTransaction(scope, async (inside) => {
    const before = await requireLockedWebhook(inside, id)
    const hours = readInput(body ?? {}, parseHours)
    const shown = newWebhookSecret()
    const now = inside.now()
    const kept = hours === 0 ? null : new Date(now.getTime() + hours * HOUR_MS).toISOString()
    const changes = {
      secret: sealSecret(inside.secret, before, shown),
      old_secret: kept === null ? null : before.secret,
      old_secret_until: kept,
      revision: before.revision + 1,
      updated_at: now.toISOString(),
    }
    await replaceWebhook(inside, before.id, changes)
    const entry = { action: 'update', resource: 'webhooks', record_id: before.id, name: before.url } as const
    await noteWrite(inside, [{ ...entry, changes: [['secret', null, 'rotated']] }])
    const rotated = await presentOne(inside, { ...before, ...changes }, definitions)
    return { ...rotated, attributes: { ...rotated.attributes, secret: shown } }
  })
}

function parseHours({ raw, report }: Fields): number {
  const hours = raw('keep_hours') ?? KEEP_HOURS_DEFAULT
  return parseWhole(hours, { key: 'keep_hours', from: 0, to: KEEP_HOURS_MAX }, report) ?? KEEP_HOURS_DEFAULT
}
