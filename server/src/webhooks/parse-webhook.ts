import { changedNames, reportOtherRecords } from '@kith/contract/changes/feed-filter'
import { excerpt } from '@kith/contract/excerpt'
import type { Report } from '@kith/contract/issue'
import { WEBHOOK_FILTER_MAX_BYTES } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { parseFilter } from '@kith/contract/parse-filter'
import { isDeep, isObject, listNames } from '@kith/contract/raw-input'
import { parseOrRefuse } from '@kith/contract/refusal'
import { type ResourceName, resourceIn, type Schema } from '@kith/contract/resource'
import { readObject, readSent, word } from '@kith/contract/shape'
import {
  newWebhook,
  parseEventTypes,
  settableStates,
  type WebhookState,
  webhook,
  webhookChanges,
  type webhookSettings,
} from '@kith/contract/webhooks/webhook'
import { parseEndpointUrl, type UrlRules } from '../outbound/allowed-url.ts'
import type { WebhookRow } from '../storage/tables/webhooks.ts'
import { withOptionIds } from './webhook.ts'

type Context = { schema: Schema; rules: UrlRules }
type Columns = Pick<WebhookRow, keyof typeof webhookSettings>

/** Parses a new endpoint, and its start position. */
export function parseNewWebhook(body: unknown, context: Context): { columns: Columns; from: string } {
  return parseOrRefuse([], (report) => {
    const { from, ...settings } = readObject(body, newWebhook, report)
    // All settings are there.
    return { columns: columnsOf(settings, context, report) as Columns, from: from ?? 'now' }
  })
}

/** Accepted and ignored, so that a read endpoint can be sent back. */
const ignored = Object.keys(webhook).filter((key) => !(key in webhookChanges))

/** Parses the changes of an endpoint. Absent keys stay unchanged, null clears. */
export function parseWebhookUpdate(
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
