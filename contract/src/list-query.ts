import { type AnswerOptions, parseAnswer, type QueryContext, reportUnknown } from './answer-options.ts'
import { excerpt } from './excerpt.ts'
import type { FieldDefinition } from './field-definition.ts'
import { fieldTypes } from './field-types.ts'
import type { Condition } from './filter.ts'
import { parseId } from './id.ts'
import { type BoundedReport, boundedReport, type Report } from './issue.ts'
import { PAGE_MAX, PER_PAGE_DEFAULT, PER_PAGE_MAX, SORT_KEYS_MAX } from './limits.ts'
import { meantName } from './meant-name.ts'
import { suggestion } from './nearest.ts'
import { parseFilter } from './parse-filter.ts'
import { isUnsent, listNames, parseWhole } from './raw-input.ts'
import { attributeNames, attributesOf, type Resource } from './resource.ts'

type Paging =
  | { by: 'page'; page: number }
  /** The first page where the cursor is null. */
  | { by: 'cursor'; cursor: string | null }

export type ListQuery = AnswerOptions & {
  per_page: number
  paging: Paging
  sort: readonly SortKey[]
  filter?: Condition
}

export const listParameters = ['per_page', 'page', 'cursor', 'sort', 'include', 'fields', 'filter'] as const

export function parseListQuery(raw: Record<string, unknown>, context: QueryContext, report: Report): ListQuery {
  const bounded = boundedReport(report)
  reportUnknown(raw, listParameters, bounded)
  const per_page = parseWhole(raw.per_page, { name: 'per_page', max: PER_PAGE_MAX }, bounded.report) ?? PER_PAGE_DEFAULT
  const paging = parsePaging(raw, bounded.report)
  const { resource, loose } = context
  const cursor = paging.by === 'cursor'
  const sort = parseSort(raw.sort, { resource, cursor, loose }, bounded)
  const answer = parseAnswer(raw, context, bounded)
  const filter = parseFilter(raw.filter, context, bounded.report)
  return { per_page, paging, sort, ...answer, filter }
}

function parsePaging(raw: Record<string, unknown>, report: Report): Paging {
  const page = parseWhole(raw.page, { name: 'page', max: PAGE_MAX }, report)
  if (isUnsent(raw.cursor)) return { by: 'page', page: page ?? 1 }
  if (!isUnsent(raw.page)) report('page', 'The page cannot be sent together with cursor. Send one of the two.')
  return { by: 'cursor', cursor: parseCursor(raw.cursor, report) }
}

/** Reads the parameters of a list whose cursor is the id of the last item. `place` is undefined for the first page. */
export function parseIdPage(
  raw: Readonly<Record<string, unknown>>,
  report: Report,
): { place: string | undefined; per_page: number | undefined } {
  const { cursor } = raw
  const isFirst = isUnsent(cursor) || cursor === 'true' || cursor === true
  const place = isFirst ? undefined : parseId(cursor)
  if (!isFirst && place === undefined) report('cursor', FIRST_OR_NEXT)
  return { place, per_page: parseWhole(raw.per_page, { name: 'per_page', max: PER_PAGE_MAX }, report) }
}

const FIRST_OR_NEXT = 'The cursor must be true for the first page, or the next_cursor of the previous page.'

/** Whether a cursor belongs to this list is for those to say who made it. */
function parseCursor(raw: unknown, report: Report): string | null {
  if (raw === true || raw === 'true') return null
  if (typeof raw === 'string') return raw
  report('cursor', FIRST_OR_NEXT)
  return null
}

export type SortKey =
  | { by: 'attribute'; name: string; descending: boolean }
  | { by: 'field'; field: FieldDefinition; descending: boolean }

/** `loose` is set for query strings. */
type SortContext = { resource: Resource; cursor: boolean; loose: boolean }

const defaultSort: readonly SortKey[] = [{ by: 'attribute', name: 'created_at', descending: true }]

/** Reads a comma list of sort keys, or a list of them. `id` always comes last and is not in the result. */
function parseSort(raw: unknown, context: SortContext, { report, full }: BoundedReport): readonly SortKey[] {
  if (isUnsent(raw)) return defaultSort
  const names = listNames(raw, context.loose)
  if (names === undefined) {
    report('sort', 'The sort must be names joined by commas or a list of names, each with a leading - to descend.')
    return defaultSort
  }
  const keys: SortKey[] = []
  const seen = new Set<string>()
  for (const sent of names) {
    if (full()) break
    const key = parseKey(sent, context, report)
    if (key === undefined) continue
    const identity = key.by === 'field' ? `custom_fields.${key.field.code}` : key.name
    if (seen.has(identity)) report('sort', `The sort names ${identity} more than once.`)
    seen.add(identity)
    keys.push(key)
    if (keys.length > SORT_KEYS_MAX) {
      report('sort', `The sort takes at most ${SORT_KEYS_MAX} names.`)
      break
    }
  }
  return keys.length === 0 ? defaultSort : keys
}

/** Every name that a list can be sorted by. */
export function sortNames(resource: Resource): string[] {
  const sortable = resource.fields.list.filter((field) => fieldTypes[field.type].sortable)
  return [...nativeNames(resource), ...sortable.map((field) => `custom_fields.${field.code}`)]
}

function parseKey(sent: string, { resource, cursor }: SortContext, report: Report): SortKey | undefined {
  const descending = sent.startsWith('-')
  const name = descending ? sent.slice(1) : sent
  const native = nativeNames(resource).find((candidate) => candidate === name)
  if (native !== undefined) return { by: 'attribute', name: native, descending }
  const field = fieldNamed(name, resource)
  if (field === undefined) {
    const accepted = sortNames(resource)
    const near = suggestion(name, [...accepted, ...sortableCodes(resource)]) || meantName(name, resource, accepted)
    report(
      'sort',
      `The ${resource.type} cannot be sorted by ${excerpt(name)}. Accepted: ${accepted.join(', ')}.${near}`,
    )
    return undefined
  }
  if (!fieldTypes[field.type].sortable) {
    const accepted = sortNames(resource).join(', ')
    report(
      'sort',
      `The ${resource.type} cannot be sorted by ${field.code}, a field of type ${field.type}. Accepted: ${accepted}.`,
    )
    return undefined
  }
  if (cursor) {
    report('sort', `Sorting by the custom field ${field.code} needs page instead of cursor.`)
    return undefined
  }
  return { by: 'field', field, descending }
}

function nativeNames(resource: Resource): string[] {
  return attributesOf(resource, 'text', 'time')
}

/** A bare code is enough where no attribute has that name. */
function fieldNamed(name: string, resource: Resource): FieldDefinition | undefined {
  const { fields } = resource
  if (name.startsWith('custom_fields.')) return fields.byCode.get(name.slice('custom_fields.'.length))
  return attributeNames(resource).includes(name) ? undefined : fields.byCode.get(name)
}

function sortableCodes({ fields }: Resource): string[] {
  return fields.list.filter((field) => fieldTypes[field.type].sortable).map((field) => field.code)
}

export type PageQuery = { page: number; per_page: number }

/** Reads the parameters of a list that has pages only. `others` are the names that the caller reads itself. */
export function parsePageQuery(raw: Record<string, unknown>, others: readonly string[], report: Report): PageQuery {
  reportUnknown(raw, [...others, 'per_page', 'page'], boundedReport(report))
  return {
    per_page: parseWhole(raw.per_page, { name: 'per_page', max: PER_PAGE_MAX }, report) ?? PER_PAGE_DEFAULT,
    page: parseWhole(raw.page, { name: 'page', max: PAGE_MAX }, report) ?? 1,
  }
}
