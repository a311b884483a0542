import type { Definitions, FieldDefinition, FieldOption, FieldSet } from '@kith/contract/field-definition'
import { parseChoice } from '@kith/contract/field-types/choice'
import { fold } from '@kith/contract/fold'
import { isObject } from '@kith/contract/raw-input'
import { resourceNames } from '@kith/contract/resource'
import { readLags } from '../changes/position.ts'
import type { Scope } from '../scope/scope.ts'
import { summarizeBlocked, type WebhookRow } from '../storage/tables/webhooks.ts'
import { changedOf, filterOf, typesOf } from './webhook.ts'

export type WebhookObject = { id: string; type: 'webhooks'; attributes: Record<string, unknown> }

/** Endpoints as they are sent, without their secrets. Called in a snapshot or a transaction. */
export async function presentWebhooks(
  inside: Scope,
  webhooks: readonly WebhookRow[],
  definitions: Definitions,
): Promise<WebhookObject[]> {
  const ids = webhooks.map(({ id }) => id)
  const blocked = await summarizeBlocked(inside, ids)
  const places = webhooks.map(({ id, epoch, sequence }) => ({ epoch, sequence, oldest: blocked.get(id)?.sequence }))
  const lags = await readLags(inside, places)
  return webhooks.map((webhook, index) => {
    const { behind = 0, oldest_at = null } = lags[index] ?? {}
    const { records = 0 } = blocked.get(webhook.id) ?? {}
    return presentWebhook(webhook, { sequence: webhook.sequence, behind, blocked: records, oldest_at }, definitions)
  })
}

/** The same for one endpoint. */
export async function presentOne(inside: Scope, webhook: WebhookRow, definitions: Definitions): Promise<WebhookObject> {
  const [shown] = await presentWebhooks(inside, [webhook], definitions)
  if (!shown) throw new Error('An endpoint was not presented.')
  return shown
}

type Position = { sequence: number; behind: number; blocked: number; oldest_at: string | null }

function presentWebhook(webhook: WebhookRow, position: Position, definitions: Definitions): WebhookObject {
  const { id, url, description, payload, max_in_flight, state, reason } = webhook
  const { last_success_at, last_failure_at, created_at, updated_at, creator_id } = webhook
  return {
    id,
    type: 'webhooks',
    attributes: {
      url,
      types: typesOf(webhook),
      description,
      filter: webhook.filter === null ? null : shownFilters(filterOf(webhook), definitions),
      changed: webhook.changed === null ? null : changedOf(webhook),
      payload,
      exclude_own: webhook.exclude_own === 1,
      max_in_flight,
      state,
      reason,
      position,
      ...{ last_success_at, last_failure_at, created_at, updated_at, creator_id },
    },
  }
}

function shownFilters(filters: Readonly<Record<string, unknown>>, definitions: Definitions): Record<string, unknown> {
  const names = resourceNames.filter((name) => name in filters)
  return Object.fromEntries(names.map((name) => [name, withOptionLabels(filters[name], definitions[name])]))
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

/** The same filter as it is shown: with the labels that the options have now. */
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
