import { type FieldSelection, parseAnswer, parseFieldsByType, reportUnknown } from '../answer-options.ts'
import { excerpt } from '../excerpt.ts'
import type { Condition } from '../filter.ts'
import { type BoundedReport, boundedReport, type Report } from '../issue.ts'
import { CHANGES_LIMIT_DEFAULT, CHANGES_LIMIT_MAX } from '../limits.ts'
import { MOMENT_FORMS, parseMoment } from '../moment.ts'
import { suggestion } from '../nearest.ts'
import { parseFilter } from '../parse-filter.ts'
import { parseWait } from '../parse-wait.ts'
import { parseWord } from '../parse-word.ts'
import { isUnsent, listNames, parseWhole } from '../raw-input.ts'
import type { Resource, Schema } from '../resource.ts'
import {
  type FeedResource,
  feedResourcesOf,
  namedResourcesOf,
  type Payload,
  payloads,
  type StoredKind,
  storedKinds,
} from './change-kind.ts'
import { changedNames, reportOtherRecords } from './feed-filter.ts'

/** The query of a reader of the feed. */
export type ChangesQuery = {
  /** Where to begin: a cursor (`start` and `now` among them) or a time. Undefined if that was reported. */
  from: { cursor: string } | { since: string } | undefined
  resources: readonly FeedResource[]
  /** Whether all resources are read, those that are made later, too. */
  everything: boolean
  kinds: readonly StoredKind[]
  /** Only updates of one of these. */
  changed: ReadonlySet<string> | undefined
  filter: Condition | undefined
  excludes_own: boolean
  payload: Payload
  fields: FieldSelection
  compact: boolean
  limit: number
  wait: number
}

/** `resource` is set where the path names it. A stream takes fewer parameters. */
type ChangesContext = { resource?: Resource; schema: Schema; loose: boolean; stream?: boolean }

const everywhere = ['cursor', 'since', 'kind', 'exclude_token', 'payload', 'fields']

function changesParameters({ resource, stream }: Pick<ChangesContext, 'resource' | 'stream'>): string[] {
  const own = resource ? ['filter', 'changed'] : ['resource']
  return [...everywhere, ...own, ...(stream ? [] : ['compact', 'limit', 'wait'])]
}

/** Reads the parameters of a feed. `now` is the time of the request: a time after it is refused. */
export function parseChanges(
  raw: Record<string, unknown>,
  context: ChangesContext & { now: string },
  report: Report,
): ChangesQuery {
  const bounded = boundedReport(report)
  reportUnknown(raw, changesParameters(context), bounded)
  const { resource, schema, loose } = context
  const limit = { name: 'limit', max: CHANGES_LIMIT_MAX }
  return {
    from: parseFrom(raw, context.now, bounded.report),
    resources: resource
      ? [resource.type]
      : parseNames(
          raw,
          { name: 'resource', accepted: namedResourcesOf(schema), otherwise: feedResourcesOf(schema) },
          bounded,
        ),
    everything: !resource && isUnsent(raw.resource),
    kinds: parseNames(raw, { name: 'kind', accepted: storedKinds }, bounded),
    changed: resource && parseChanged(raw, resource, bounded),
    filter: resource && parseFeedFilter(raw.filter, { resource, loose }, bounded.report),
    excludes_own: parseWord(raw.exclude_token, { name: 'exclude_token', words: ['self'] }, bounded.report) === 'self',
    payload: parseWord(raw.payload, { name: 'payload', words: payloads }, bounded.report) ?? 'full',
    fields: parseShown(raw, context, bounded),
    compact: parseWord(raw.compact, { name: 'compact', words: ['true', 'false'] }, bounded.report) === 'true',
    limit: parseWhole(raw.limit, limit, bounded.report) ?? CHANGES_LIMIT_DEFAULT,
    wait: parseWait(raw.wait, bounded.report),
  }
}

const START =
  'Send start to begin with everything, now to begin with the next change, or the next_cursor of a response.'

function parseFrom(raw: Record<string, unknown>, now: string, report: Report): ChangesQuery['from'] {
  const { cursor, since } = raw
  if (isUnsent(cursor) === isUnsent(since)) {
    const problem = isUnsent(cursor) ? 'Either cursor or since is required.' : 'Send either cursor or since, not both.'
    report('cursor', `${problem} ${START}`)
    return undefined
  }
  if (isUnsent(since)) {
    if (typeof cursor === 'string') return { cursor }
    report('cursor', `The cursor must be a text. ${START}`)
    return undefined
  }
  const moment = typeof since === 'string' ? parseMoment(since) : undefined
  if (moment === undefined) report('since', `The since must be ${MOMENT_FORMS}.`)
  else if (moment > now) report('since', `The since must not be in the future. It is ${now} now.`)
  return moment === undefined ? undefined : { since: moment }
}

function parseNames<Name extends string>(
  raw: Record<string, unknown>,
  { name, accepted, otherwise = accepted }: { name: string; accepted: readonly Name[]; otherwise?: readonly Name[] },
  { report }: BoundedReport,
): readonly Name[] {
  if (isUnsent(raw[name])) return otherwise
  const names = listNames(raw[name], true) ?? []
  const all = `Accepted, joined by commas: ${accepted.join(', ')}.`
  if (names.length === 0) report(name, `The ${name} must be names. ${all}`)
  for (const one of names) {
    if (accepted.some((known) => known === one)) continue
    report(name, `The ${name} does not take ${excerpt(one)}. ${all}${suggestion(one, accepted)}`)
  }
  return accepted.filter((known) => names.includes(known))
}

function parseChanged(
  raw: Record<string, unknown>,
  resource: Resource,
  bounded: BoundedReport,
): ReadonlySet<string> | undefined {
  if (isUnsent(raw.changed)) return undefined
  const accepted = changedNames(resource)
  return new Set(parseNames(raw, { name: 'changed', accepted }, bounded))
}

function parseFeedFilter(
  raw: unknown,
  context: { resource: Resource; loose: boolean },
  report: Report,
): Condition | undefined {
  const filter = parseFilter(raw, { ...context, stored: true }, report)
  if (filter) reportOtherRecords(raw, context.resource, report)
  return filter
}

function parseShown(
  raw: Record<string, unknown>,
  { resource, schema, loose }: ChangesContext,
  bounded: BoundedReport,
): FieldSelection {
  if (!resource) return parseFieldsByType(raw.fields, { types: namedResourcesOf(schema), schema, loose }, bounded)
  return parseAnswer({ fields: raw.fields }, { resource, loose }, bounded).fields
}
