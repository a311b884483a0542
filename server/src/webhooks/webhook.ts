import type { EndingWebhook } from '@kith/contract/app/webhooks'
import { storedKinds } from '@kith/contract/changes/change-kind'
import type { FieldDefinition, FieldOption, FieldSet } from '@kith/contract/field-definition'
import { parseChoice } from '@kith/contract/field-types/choice'
import { fold } from '@kith/contract/fold'
import { parseId } from '@kith/contract/id'
import { parsePageQuery } from '@kith/contract/list-query'
import { roleMay } from '@kith/contract/permissions'
import { isObject } from '@kith/contract/raw-input'
import { parseOrRefuse, refuseUnknownId } from '@kith/contract/refusal'
import type { Schema } from '@kith/contract/resource'
import { shownOf } from '@kith/contract/shape'
import { isOfTypes, type Webhook, webhook } from '@kith/contract/webhooks/webhook'
import { readLags } from '../changes/position.ts'
import type { Entry } from '../changes/read-part.ts'
import type { RawParameters } from '../records/expected.ts'
import type { PageOf } from '../records/trash/trash.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { readInput } from '../scope/read-input.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import {
  loadEndingWebhooks,
  loadWebhooks,
  lockWebhook,
  summarizeBlocked,
  type WebhookRow,
  webhookTable,
} from '../storage/tables/webhooks.ts'

/** The endpoint with an id, if the caller may see it. */
export async function requireWebhook(scope: Scope, id: string): Promise<WebhookRow> {
  return visible(scope, id, await webhookTable.find(scope, { id: parseId(id) ?? '' }))
}

/** Like `requireWebhook`, locked until the transaction ends. */
export async function requireLockedWebhook(inside: Scope, id: string): Promise<WebhookRow> {
  return visible(inside, id, await lockWebhook(inside, parseId(id) ?? ''))
}

/** Endpoints of others look like endpoints that do not exist. */
function visible({ actor }: Scope, id: string, webhook: WebhookRow | undefined): WebhookRow {
  if (webhook && (webhook.creator_id === actor.user_id || seesAllWebhooks(actor))) return webhook
  return refuseUnknownId('webhook', id)
}

function seesAllWebhooks({ role }: Pick<Scope['actor'], 'role'>): boolean {
  return roleMay(role, 'see_all_webhooks')
}

/** Written by the operations that create and update endpoints. */
function typesOf({ types }: Pick<WebhookRow, 'types'>): string[] {
  return JSON.parse(types)
}

export function filterOf({ filter }: Pick<WebhookRow, 'filter'>): Readonly<Record<string, unknown>> {
  return filter === null ? {} : JSON.parse(filter)
}

export function changedOf({ changed }: Pick<WebhookRow, 'changed'>): Readonly<Record<string, string[]>> {
  return changed === null ? {} : JSON.parse(changed)
}

/**
 * The entries of the feed that an endpoint subscribes to, before its filters, each with whether its creator made it.
 */
export function wantedBy(webhook: WebhookRow, entries: readonly Entry[]): Entry[] {
  const types = typesOf(webhook)
  return entries.flatMap((entry): Entry[] => {
    const { attributes } = entry
    const kind = storedKinds.find((one) => one === attributes.kind)
    if (!kind || !isOfTypes(types, { resource: attributes.resource, kind })) return []
    const { origin } = attributes
    const own = origin !== null && isOwn(webhook, origin)
    if (own && webhook.exclude_own === 1) return []
    return [{ ...entry, attributes: { ...attributes, origin: origin && { ...origin, own } } }]
  })
}

/** Made by the token that created the endpoint; in the application, by its creator. */
function isOwn({ token_id, creator_id }: WebhookRow, origin: NonNullable<Entry['attributes']['origin']>): boolean {
  if (token_id !== null) return origin.token_id === token_id
  return origin.token_id === null && origin.source === 'web' && origin.actor_id === creator_id
}

export type WebhookObject = { id: string; type: 'webhooks'; attributes: Webhook }

/** Endpoints as they are sent, without their secrets. Called in a snapshot or a transaction. */
async function presentWebhooks(inside: Scope, webhooks: readonly WebhookRow[]): Promise<WebhookObject[]> {
  const ids = webhooks.map(({ id }) => id)
  const blocked = await summarizeBlocked(inside, ids)
  const places = webhooks.map(({ id, epoch, sequence }) => ({ epoch, sequence, oldest: blocked.get(id)?.sequence }))
  const lags = await readLags(inside, places)
  return webhooks.map((row, index) => {
    const { id, sequence } = row
    const { behind = 0, oldest_at = null } = lags[index] ?? {}
    const attributes = shownOf(webhook, {
      ...row,
      types: typesOf(row),
      filter: row.filter === null ? null : shownFilters(filterOf(row), inside.schema),
      changed: row.changed === null ? null : changedOf(row),
      exclude_own: row.exclude_own === 1,
      position: { sequence, behind, blocked: blocked.get(id)?.records ?? 0, oldest_at },
    })
    return { id, type: 'webhooks', attributes }
  })
}

/** The same for one endpoint. */
export async function presentOne(inside: Scope, webhook: WebhookRow): Promise<WebhookObject> {
  const [shown] = await presentWebhooks(inside, [webhook])
  if (!shown) throw new Error('An endpoint was not presented.')
  return shown
}

function shownFilters(filters: Readonly<Record<string, unknown>>, schema: Schema): Record<string, object> {
  const named = [...schema.values()].filter(({ type }) => type in filters)
  // A stored filter is an object.
  return Object.fromEntries(named.map(({ type, fields }) => [type, withOptionLabels(filters[type], fields) as object]))
}

/**
 * A valid filter with the options that it names by label as `{id, label}`, which the filter language also takes. So it
 * keeps its meaning when an option is renamed. Options that it names by id stay as they are.
 */
export function withOptionIds(filter: unknown, fields: FieldSet): unknown {
  return mapOptions(filter, fields, (named, field) => {
    const id = parseChoice(named, { field, path: '', report: () => {} })
    const option = field.options.find((one) => one.id === id)
    if (!option || (typeof named === 'string' && named.trim().toLowerCase() === option.id)) return named
    return { id: option.id, label: option.label }
  })
}

/** The filter as it is shown: with the current labels of the options. */
function withOptionLabels(filter: unknown, fields: FieldSet): unknown {
  return mapOptions(filter, fields, (stored, { options }) => (isObject(stored) ? labelOf(stored, options) : stored))
}

/** The id if another option has the same label. An option that was deleted keeps its last known label. */
function labelOf({ id, label }: Record<string, unknown>, options: readonly FieldOption[]): unknown {
  const option = options.find((one) => one.id === id)
  if (!option) return label
  const isUnique = options.filter((one) => fold(one.label) === fold(option.label)).length === 1
  return isUnique ? option.label : option.id
}

type Change = (operand: unknown, field: FieldDefinition) => unknown

/** Filters of feeds have no conditions inside relations, so custom fields are at the top or below logic only. */
function mapOptions(node: unknown, fields: FieldSet, change: Change): unknown {
  if (!isObject(node)) return node
  const inside = (part: unknown) => mapOptions(part, fields, change)
  const entries = Object.entries(node).map(([key, value]) => {
    if (key === '$not') return [key, inside(value)]
    if ((key === '$and' || key === '$or') && Array.isArray(value)) return [key, value.map(inside)]
    return [key, key === 'custom_fields' && isObject(value) ? mapFields(value, fields, change) : value]
  })
  return Object.fromEntries(entries)
}

function mapFields(tests: Record<string, unknown>, { byCode }: FieldSet, change: Change): unknown {
  const entries = Object.entries(tests).map(([code, words]) => {
    const field = byCode.get(code)
    if (!field || field.options.length === 0 || !isObject(words)) return [code, words]
    const operands = Object.entries(words).map(([word, operand]) => {
      if (word === '$is_empty') return [word, operand]
      return [word, Array.isArray(operand) ? operand.map((one) => change(one, field)) : change(operand, field)]
    })
    return [code, Object.fromEntries(operands)]
  })
  return Object.fromEntries(entries)
}

/** A page of the endpoints that the caller may see, latest first. */
export async function listWebhooks(scope: Scope, asked: RawParameters): Promise<PageOf<WebhookObject>> {
  requireAbilities(scope, ['read'])
  const { page, per_page } = parseOrRefuse(asked.issues, (report) => parsePageQuery(asked.raw, [], report))
  const creator_id = seesAllWebhooks(scope.actor) ? undefined : scope.actor.user_id
  await scope.engine.numberChanges(scope.workspace.id)
  return inSnapshot(scope, async (inside) => {
    const limits = { limit: per_page, offset: (page - 1) * per_page }
    const { rows, total } = await loadWebhooks(inside, { creator_id, ...limits })
    return { data: await presentWebhooks(inside, rows), page, per_page, total }
  })
}

export async function readWebhook(scope: Scope, id: string): Promise<WebhookObject> {
  requireAbilities(scope, ['read'])
  await scope.engine.numberChanges(scope.workspace.id)
  return inSnapshot(scope, async (inside) => presentOne(inside, await requireWebhook(inside, id)))
}

/** The endpoints that are disabled with a token or connection, or with the rights of a member, for the application. */
export async function listEndingWebhooks(scope: Scope, input: unknown): Promise<EndingWebhook[]> {
  requireAbilities(scope, ['read'])
  const { token, member } = readInput(input, ({ optionalText }) => {
    return { token: optionalText('token'), member: optionalText('member') }
  })
  const ending = await loadEndingWebhooks(scope, { token_id: parseId(token), user_id: parseId(member) })
  const { actor } = scope
  return ending
    .filter(({ creator_id }) => creator_id === actor.user_id || seesAllWebhooks(actor))
    .map(({ id, url, description }) => ({ id, url, description }))
}
