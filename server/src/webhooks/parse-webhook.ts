import { changedNames, reportOtherRecords } from '@kith/contract/changes/feed-filter'
import { excerpt } from '@kith/contract/excerpt'
import type { Definitions } from '@kith/contract/field-definition'
import type { Report } from '@kith/contract/issue'
import {
  IN_FLIGHT_DEFAULT,
  IN_FLIGHT_MAX,
  WEBHOOK_DESCRIPTION_MAX,
  WEBHOOK_FILTER_MAX_BYTES,
} from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { parseFilter } from '@kith/contract/parse-filter'
import { isDeep, isObject, listNames } from '@kith/contract/raw-input'
import { registry } from '@kith/contract/registry'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { parseEventTypes } from '@kith/contract/webhooks/event-types'
import {
  settableStates,
  type WebhookPayload,
  type WebhookState,
  webhookPayloads,
} from '@kith/contract/webhooks/webhook'
import { parseWhole } from '../fields/options.ts'
import { parseEndpointUrl, type UrlRules } from '../outbound/allowed-url.ts'
import { type Fields, readInput } from '../scope/read-input.ts'
import type { WebhookRow } from '../storage/tables/webhooks.ts'
import { withOptionIds } from './webhook.ts'

type Context = { definitions: Definitions; rules: UrlRules }

type Columns = Pick<
  WebhookRow,
  'url' | 'types' | 'description' | 'filter' | 'changed' | 'payload' | 'exclude_own' | 'max_in_flight'
>

/** Parses a new endpoint, and its start position. */
export function parseNewWebhook(body: unknown, context: Context): { columns: Columns; from: string } {
  return readInput(body, (fields) => {
    for (const key of ['url', 'types']) {
      if (fields.raw(key) === undefined || fields.raw(key) === null) fields.report(key, `The ${key} is required.`)
    }
    const columns = {
      url: '',
      types: '[]',
      description: null,
      filter: null,
      changed: null,
      payload: 'full' as const,
      exclude_own: 0,
      max_in_flight: IN_FLIGHT_DEFAULT,
      ...parseColumns(fields, context, (key) => fields.raw(key) !== undefined && fields.raw(key) !== null),
    }
    return { columns, from: parseFrom(fields) ?? 'now' }
  })
}

/** Accepted and ignored, so that a read endpoint can be sent back. */
const readOnlyKeys = 'reason position last_success_at last_failure_at created_at updated_at creator_id'.split(' ')

/** Parses the changes of an endpoint. Absent keys stay unchanged, null clears. */
export function parseWebhookUpdate(
  body: unknown,
  context: Context,
  before: WebhookState,
): { columns: Partial<Columns>; state?: 'active' | 'paused'; from?: string } {
  return readInput(body, (fields) => {
    const columns = parseColumns(fields, context, (key) => fields.raw(key) !== undefined)
    const isSame = fields.raw('state') === before
    const state = isSame ? settableStates.find((one) => one === before) : parseWord(fields, 'state', settableStates)
    const from = parseFrom(fields)
    if (from !== undefined && state !== 'active') {
      fields.report('from', 'The from can only be sent with "state": "active", and when an endpoint is created.')
    }
    for (const key of readOnlyKeys) fields.raw(key)
    return { columns, ...(state === undefined ? {} : { state }), ...(from === undefined ? {} : { from }) }
  })
}

/** The columns of the sent keys. */
function parseColumns(fields: Fields, context: Context, isSent: (key: string) => boolean): Partial<Columns> {
  const { raw, report } = fields
  const read: { [Key in keyof Columns]: () => Columns[Key] } = {
    url: () => parseEndpointUrl(raw('url'), context.rules, report),
    types: () => JSON.stringify(parseEventTypes(raw('types'), report)),
    description: () => fields.optionalText('description', WEBHOOK_DESCRIPTION_MAX) ?? null,
    filter: () => parseFilters(raw('filter'), context, report),
    changed: () => parseChanged(raw('changed'), context, report),
    payload: () => parseWord<WebhookPayload>(fields, 'payload', webhookPayloads) ?? 'full',
    exclude_own: () => Number(fields.flag('exclude_own', false)),
    max_in_flight: () => {
      const sent = raw('max_in_flight') ?? IN_FLIGHT_DEFAULT
      return parseWhole(sent, { key: 'max_in_flight', from: 1, to: IN_FLIGHT_MAX }, report) ?? IN_FLIGHT_DEFAULT
    },
  }
  return Object.fromEntries(Object.entries(read).flatMap(([key, parse]) => (isSent(key) ? [[key, parse()]] : [])))
}

/** By resource, each as in its feed. Stored as they were sent, with the ids of options. */
function parseFilters(raw: unknown, { definitions }: Context, report: Report): string | null {
  const filters = byResource(raw, 'filter', report)
  for (const [type, filter] of filters) {
    const resource = registry[type]
    const path = `filter.${type}`
    if (isDeep(filter)) {
      report(path, `The ${path} is nested too deeply.`)
      return null
    }
    if (parseFilter(filter, { resource, definitions, loose: false, path }, report)) {
      reportOtherRecords(filter, resource, (at, message) => report(at.replace('filter', path), message))
    }
  }
  if (filters.length === 0) return null
  if (Buffer.byteLength(JSON.stringify(raw)) > WEBHOOK_FILTER_MAX_BYTES) {
    report('filter', `The filter must not be larger than ${WEBHOOK_FILTER_MAX_BYTES / 1024} KB.`)
  }
  return JSON.stringify(
    Object.fromEntries(filters.map(([type, filter]) => [type, withOptionIds(filter, definitions[type])])),
  )
}

function parseChanged(raw: unknown, { definitions }: Context, report: Report): string | null {
  const lists = byResource(raw, 'changed', report).map(([type, sent]): [string, string[]] => {
    const path = `changed.${type}`
    const accepted = changedNames(registry[type], definitions[type])
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

function byResource(raw: unknown, key: string, report: Report): [ResourceName, unknown][] {
  if (raw === null) return []
  const accepted = `Accepted: ${resourceNames.join(', ')}.`
  if (!isObject(raw)) {
    report(key, `The ${key} must be an object by resource. ${accepted}`)
    return []
  }
  return Object.entries(raw).flatMap(([name, value]): [ResourceName, unknown][] => {
    const type = resourceNames.find((one) => one === name)
    if (type) return [[type, value]]
    const path = `${key}.${excerpt(name)}`
    report(path, `The ${path} does not name a resource. ${accepted}${suggestion(name, resourceNames)}`)
    return []
  })
}

function parseFrom(fields: Fields): string | undefined {
  const raw = fields.raw('from')
  if (raw === undefined || raw === null) return undefined
  if (typeof raw === 'string' && raw !== '' && raw !== 'start') return raw
  fields.report('from', 'The from must be now, or a cursor of the changes feed from after the hand-off.')
  return undefined
}

function parseWord<const Word extends string>(fields: Fields, key: string, words: readonly Word[]): Word | undefined {
  const raw = fields.raw(key)
  if (raw === undefined || raw === null) return undefined
  const word = words.find((one) => one === raw)
  if (word === undefined) fields.report(key, `The ${key} must be ${words.join(' or ')}.`)
  return word
}
