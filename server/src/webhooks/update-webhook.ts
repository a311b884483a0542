import { changedNames, reportOtherRecords } from '@kith/contract/changes/feed-filter'
import { excerpt } from '@kith/contract/excerpt'
import { newId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { HOUR_MS, WEBHOOK_FILTER_MAX_BYTES, WEBHOOKS_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { parseFilter } from '@kith/contract/parse-filter'
import { roleMay } from '@kith/contract/permissions'
import { isDeep, isObject, listNames } from '@kith/contract/raw-input'
import { parseOrRefuse, refuseValue } from '@kith/contract/refusal'
import { type ResourceName, resourceIn, type Schema } from '@kith/contract/resource'
import { readObject, readSent, word } from '@kith/contract/shape'
import {
  newWebhook,
  parseEventTypes,
  rotation,
  settableStates,
  type WebhookState,
  webhook,
  webhookChanges,
  webhookSettings,
} from '@kith/contract/webhooks/webhook'
import { creatorRights } from '../accounts/revoke-access.ts'
import { findBeginning } from '../changes/position.ts'
import { noteWrite } from '../journal/write.ts'
import { parseEndpointUrl, type UrlRules } from '../outbound/allowed-url.ts'
import { newWebhookSecret, sealSecret } from '../outbound/secrets.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { inTransaction, type Scope } from '../scope/scope.ts'
import { deliveryTable } from '../storage/tables/deliveries.ts'
import { blockedTable, type WebhookRow, webhookTable } from '../storage/tables/webhooks.ts'
import { presentOne, requireLockedWebhook, type WebhookObject, withOptionIds } from './webhook.ts'

/** Changes the sent attributes and keeps the others. */
export async function updateWebhook(
  scope: Scope,
  { id, body, rules }: { id: string; body: unknown; rules: UrlRules },
): Promise<WebhookObject> {
  requireAbilities(scope, ['update'])
  return inTransaction(scope, async (inside) => {
    const before = await requireLockedWebhook(inside, id)
    const { columns, state, from } = parseWebhookUpdate(body, { schema: scope.schema, rules }, before.state)
    const changes: Partial<WebhookRow> = {
      ...columns,
      ...(state === 'active' ? await takenOver(inside, before) : {}),
      ...(state === undefined ? {} : { state, reason: null }),
      ...(from === undefined ? {} : await movedTo(inside, before, from)),
    }
    // Earlier failures say nothing about the changed endpoint.
    const startsAgain = (state === 'active' && before.state !== 'active') || (columns.url ?? before.url) !== before.url
    if (startsAgain) Object.assign(changes, await startAgain(inside, before))
    if (startsAgain) changes.url_by = inside.actor.token_id ?? inside.actor.user_id
    const after = await store(inside, before, changes)
    return presentOne(inside, after)
  })
}

/** If the creator's access has ended, the member who activates the endpoint becomes its creator. */
async function takenOver(inside: Scope, before: WebhookRow): Promise<Partial<WebhookRow>> {
  const rights = await creatorRights(inside.db, before, { hosted: false, now: inside.now() })
  if (rights === 'creator') refuseOrphan()
  if (typeof rights !== 'string' && roleMay(rights.role, 'create')) return {}
  requireAbilities(inside, ['create', 'read'])
  return { creator_id: inside.actor.user_id, token_id: inside.actor.token_id }
}

function refuseOrphan(): never {
  const message = 'The member who created the webhook has left, and it reads with their rights. Create a new one.'
  return refuseValue('state', message)
}

/** All events before the new position are given up. They can be replayed. */
async function movedTo(inside: Scope, { id }: WebhookRow, from: string): Promise<Partial<WebhookRow>> {
  const { epoch, sequence } = await findBeginning(inside, from, 'from')
  await blockedTable.remove(inside, { webhook_id: id })
  // The deliveries that wait are given up.
  const waiting = { webhook_id: id, state: 'waiting', replay: 0 } as const
  await deliveryTable.update(inside, waiting, { state: 'failed', next_attempt_at: null })
  return { epoch, sequence }
}

async function startAgain(inside: Scope, { id, state }: WebhookRow): Promise<Partial<WebhookRow>> {
  await blockedTable.update(inside, { webhook_id: id }, { due_at: inside.now().toISOString() })
  const active = state === 'failing' ? { state: 'active' as const } : {}
  return { failures: 0, failed_since: null, noticed: 0, notice: null, ...active }
}

async function store(inside: Scope, before: WebhookRow, changes: Partial<WebhookRow>): Promise<WebhookRow> {
  const differing = Object.entries(changes).filter(([key, value]) => before[key as keyof WebhookRow] !== value)
  if (differing.length === 0) return before
  const updated_at = inside.now().toISOString()
  const stored = { ...changes, revision: before.revision + 1, updated_at }
  await webhookTable.update(inside, { id: before.id }, stored)
  const audited = differing.filter(([key]) => SHOWN.has(key))
  const entry = { action: 'update', resource: 'webhooks', record_id: before.id, name: before.url } as const
  const noted = audited.map(([key, value]) => [key, before[key as keyof WebhookRow], value] as const)
  if (noted.length > 0) await noteWrite(inside, [{ ...entry, changes: noted }])
  return { ...before, ...stored }
}

const SHOWN = new Set([...Object.keys(webhookSettings), 'state', 'sequence', 'creator_id'])

/** Deletes an endpoint. Deliveries stop. The upkeep deletes its log. */
export function removeWebhook(scope: Scope, id: string): Promise<void> {
  requireAbilities(scope, ['delete'])
  return inTransaction(scope, async (inside) => {
    const webhook = await requireLockedWebhook(inside, id)
    await blockedTable.remove(inside, { webhook_id: webhook.id })
    await webhookTable.remove(inside, { id: webhook.id })
    await noteWrite(inside, [{ action: 'delete', resource: 'webhooks', record_id: webhook.id, name: webhook.url }])
  })
}

/** Gives an endpoint a new secret, which is shown this once. For a time the old one signs as well. */
export async function rotateSecret(scope: Scope, id: string, body: unknown): Promise<WebhookObject> {
  requireAbilities(scope, ['update'])
  return inTransaction(scope, async (inside) => {
    const before = await requireLockedWebhook(inside, id)
    const { keep_hours: hours } = parseOrRefuse([], (report) => readObject(body ?? {}, rotation, report))
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
    await webhookTable.update(inside, { id: before.id }, changes)
    const entry = { action: 'update', resource: 'webhooks', record_id: before.id, name: before.url } as const
    await noteWrite(inside, [{ ...entry, changes: [['secret', null, 'rotated']] }])
    const rotated = await presentOne(inside, { ...before, ...changes })
    return { ...rotated, attributes: { ...rotated.attributes, secret: shown } }
  })
}

/** Creates an endpoint. Its secret is shown this once. */
export async function createWebhook(
  scope: Scope,
  { body, rules }: { body: unknown; rules: UrlRules },
): Promise<WebhookObject> {
  requireAbilities(scope, ['create', 'read'])
  const { columns, from } = parseNewWebhook(body, { schema: scope.schema, rules })
  return inTransaction(scope, async (inside) => {
    const { workspace, actor, engine, db } = inside
    const { epoch, sequence } = await findBeginning(inside, from, 'from')
    // Lock, so that concurrent requests count each other's endpoints.
    await engine.lock(db, [`webhooks ${workspace.id}`])
    if ((await webhookTable.count(inside)) >= WEBHOOKS_MAX) {
      refuseValue('url', `The workspace has ${WEBHOOKS_MAX} webhooks already, and cannot have more. Delete one first.`)
    }
    const now = inside.now()
    const owner = { workspace_id: workspace.id, id: newId(now.getTime()) }
    const shown = newWebhookSecret()
    const at = now.toISOString()
    const webhook = await webhookTable.create(inside, {
      ...owner,
      ...columns,
      state: 'active',
      epoch,
      sequence,
      secret: sealSecret(inside.secret, owner, shown),
      failures: 0,
      noticed: 0,
      created_at: at,
      updated_at: at,
      creator_id: actor.user_id,
      token_id: actor.token_id,
      url_by: actor.token_id ?? actor.user_id,
      revision: 1,
    })
    await noteWrite(inside, [{ action: 'create', resource: 'webhooks', record_id: webhook.id, name: webhook.url }])
    const created = await presentOne(inside, webhook)
    return { ...created, attributes: { ...created.attributes, secret: shown } }
  })
}

type Context = { schema: Schema; rules: UrlRules }
type Columns = Pick<WebhookRow, keyof typeof webhookSettings>

/** Parses a new endpoint, and its start position. */
function parseNewWebhook(body: unknown, context: Context): { columns: Columns; from: string } {
  return parseOrRefuse([], (report) => {
    const { from, ...settings } = readObject(body, newWebhook, report)
    // All settings are there.
    return { columns: columnsOf(settings, context, report) as Columns, from: from ?? 'now' }
  })
}

/** Accepted and ignored, so that a read endpoint can be sent back. */
const ignored = Object.keys(webhook).filter((key) => !(key in webhookChanges))

/** Parses the changes of an endpoint. Absent keys stay unchanged, null clears. */
function parseWebhookUpdate(
  body: unknown,
  context: Context,
  before: WebhookState,
): { columns: Partial<Columns>; state: 'active' | 'paused' | undefined; from: string | undefined } {
  return parseOrRefuse([], (report) => {
    const { state: sent, from, ...settings } = readSent(body, webhookChanges, report, { ignored })
    const settable = settableStates.find((one) => one === sent)
    if ((sent ?? before) !== before && !settable) word(settableStates).parse(sent, 'state', report)
    if (from && settable !== 'active') {
      report('from', 'The from can only be sent with "state": "active", and when an endpoint is created.')
    }
    return { columns: columnsOf(settings, context, report), state: settable, from: from ?? undefined }
  })
}

/** The columns of the sent settings. */
function columnsOf(sent: Partial<Record<keyof Columns, unknown>>, context: Context, report: Report): Partial<Columns> {
  const columns: { [Key in keyof Columns]?: (raw: unknown) => Columns[Key] } = {
    url: (raw) => parseEndpointUrl(raw, context.rules, report),
    types: (raw) => JSON.stringify(parseEventTypes(raw, context.schema, report)),
    filter: (raw) => parseFilters(raw, context, report),
    changed: (raw) => parseChanged(raw, context, report),
    exclude_own: Number,
  }
  // Only settings are sent.
  const entries = Object.entries(sent) as [keyof Columns, unknown][]
  return Object.fromEntries(
    entries
      .filter(([, raw]) => raw !== undefined)
      .map(([key, raw]) => [key, key in columns ? columns[key]?.(raw) : raw]),
  )
}

/** By resource, each as in its feed. Stored as they were sent, with the ids of options. */
function parseFilters(raw: unknown, { schema }: Context, report: Report): string | null {
  const filters = byResource(raw, { key: 'filter', schema }, report)
  for (const [type, filter] of filters) {
    const resource = resourceIn(schema, type)
    const path = `filter.${type}`
    if (isDeep(filter)) {
      report(path, `The ${path} is nested too deeply.`)
      return null
    }
    if (parseFilter(filter, { resource, loose: false, path }, report)) {
      reportOtherRecords(filter, resource, (at, message) => report(at.replace('filter', path), message))
    }
  }
  if (filters.length === 0) return null
  if (Buffer.byteLength(JSON.stringify(raw)) > WEBHOOK_FILTER_MAX_BYTES) {
    report('filter', `The filter must not be larger than ${WEBHOOK_FILTER_MAX_BYTES / 1024} KB.`)
  }
  return JSON.stringify(
    Object.fromEntries(filters.map(([type, filter]) => [type, withOptionIds(filter, resourceIn(schema, type).fields)])),
  )
}

function parseChanged(raw: unknown, { schema }: Context, report: Report): string | null {
  const lists = byResource(raw, { key: 'changed', schema }, report).map(([type, sent]): [string, string[]] => {
    const path = `changed.${type}`
    const accepted = changedNames(resourceIn(schema, type))
    const names = [...new Set(listNames(sent, false) ?? [])]
    if (names.length === 0) report(path, `The ${path} must be a list of names. Accepted: ${accepted.join(', ')}.`)
    for (const name of names) {
      if (accepted.includes(name)) continue
      const all = `Accepted: ${accepted.join(', ')}.${suggestion(name, accepted)}`
      report(path, `The ${path} does not take ${excerpt(name)}. ${all}`)
    }
    return [type, names]
  })
  return lists.length === 0 ? null : JSON.stringify(Object.fromEntries(lists))
}

function byResource(
  raw: unknown,
  { key, schema }: { key: string; schema: Schema },
  report: Report,
): [ResourceName, unknown][] {
  if (raw === null) return []
  const names = [...schema.keys()]
  const accepted = `Accepted: ${names.join(', ')}.`
  if (!isObject(raw)) {
    report(key, `The ${key} must be an object by resource. ${accepted}`)
    return []
  }
  return Object.entries(raw).flatMap(([name, value]): [ResourceName, unknown][] => {
    if (schema.has(name)) return [[name, value]]
    const path = `${key}.${excerpt(name)}`
    report(path, `The ${path} does not name a resource. ${accepted}${suggestion(name, names)}`)
    return []
  })
}
