import { excerpt } from '@kith/contract/excerpt'
import type { FieldDefinition, FieldSet } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import type { Condition } from '@kith/contract/filter'
import type { Report } from '@kith/contract/issue'
import { suggestion } from '@kith/contract/nearest'
import { parseFilter } from '@kith/contract/parse-filter'
import { isUnsent } from '@kith/contract/raw-input'
import { parseOrRefuse } from '@kith/contract/refusal'
import { attributesOf, type Resource, relationOf, resourceIn } from '@kith/contract/resource'
import { given, maybe, readSent } from '@kith/contract/shape'
import { reading, requireSameFields } from '../fields/definitions.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { requireResource } from '../scope/read-input.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadFieldsVersion } from '../storage/engines/transactions.ts'
import { loadLabels, loadMembers } from '../storage/query/related.ts'
import { type Grouping, loadSummary, type SummaryRow } from '../storage/query/summaries.ts'
import { explainingSlow } from './list.ts'

/**
 * `key` is the id of an option, member or record, a month such as 2026-11, null for records without one, or `other`.
 */
type SummaryGroup = { key: string | null; label: string; value: number | null; count: number }

type Summary = {
  rows: SummaryGroup[]
  /** The ISO 4217 code of a currency field. */
  currency: string | null
}

/**
 * Counts records, or sums up one of their fields, in groups. Options are in their own order, months in order of time,
 * and related records by the number of records. Then follow the records without a group, and all groups beyond the
 * largest.
 */
export async function summarizeRecords(scope: Scope, { type }: Resource, input: unknown): Promise<Summary> {
  requireAbilities(scope, ['read'])
  return reading(scope, (inside) => summarizeWith(inside, requireResource(inside.schema, type), input))
}

async function summarizeWith(scope: Scope, resource: Resource, input: unknown): Promise<Summary> {
  const summary = parseOrRefuse([], (report) => parseSummary(input, resource, report))
  const { measure, filter, field, grouping } = summary
  const load = async (inside: Scope) => {
    requireSameFields(inside, await loadFieldsVersion(inside.db, inside.workspace.id))
    const found = await loadSummary(inside, resource, { filter, field, grouping })
    return grouping ? labelled(inside, grouping, found) : [{ key: 'all', label: 'All', row: found[0] }]
  }
  const groups = await explainingSlow(scope, { resource, filter }, () => inSnapshot(scope, load))
  const rows = groups.map(({ key, label, row }) => {
    return { key, label, value: measured(row, measure, field), count: row?.records ?? 0 }
  })
  return { rows, currency: field?.settings.currency ?? null }
}

async function labelled(
  scope: Scope,
  grouping: Grouping,
  rows: readonly SummaryRow[],
): Promise<{ key: string | null; label: string; row: SummaryRow | undefined }[]> {
  const byKey = new Map(rows.filter((row) => row.kind === 'group').map((row) => [row.key ?? '', row]))
  const groups = await namesOf(scope, grouping, [...byKey.values()])
  const named = groups.map(([key, label]) => ({ key, label, row: byKey.get(key) }))
  const empty = rows.find((row) => row.kind === 'empty')
  const other = rows.find((row) => row.kind === 'other')
  return [
    ...named,
    ...(empty ? [{ key: null, label: 'Empty', row: empty }] : []),
    ...(other ? [{ key: 'other', label: 'Other', row: other }] : []),
  ]
}

/** The groups in their order, by key and label. Options that no record has are included. */
async function namesOf(scope: Scope, grouping: Grouping, rows: readonly SummaryRow[]): Promise<[string, string][]> {
  const keys = rows.map((row) => row.key ?? '')
  if (grouping.by === 'month') return keys.sort().map((key) => [key, key])
  if (grouping.by === 'choice') {
    const { options } = grouping.field
    if (options.length > 0) return options.map(({ id, label }) => [id, label])
    return [
      ['true', 'Yes'],
      ['false', 'No'],
    ]
  }
  const names = await relatedNames(scope, grouping, keys)
  const sizes = new Map(rows.map((row) => [row.key, row.records]))
  const bySize = keys.map((key): [string, string] => [key, names.get(key) ?? ''])
  return bySize.sort(([a, one], [b, other]) => {
    return (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0) || (one < other ? -1 : one > other ? 1 : a < b ? -1 : 1)
  })
}

async function relatedNames(
  scope: Scope,
  { relation }: Grouping & { by: 'relation' },
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (relation.to === 'users') return new Map((await loadMembers(scope, ids)).map((user) => [user.id, user.name]))
  return loadLabels(scope, resourceIn(scope.schema, relation.to), ids)
}

function measured(row: SummaryRow | undefined, measure: Measure, field: FieldDefinition | undefined): number | null {
  switch (measure) {
    case 'count':
      return row?.records ?? 0
    case 'sum':
      return row && field ? sumOf(row, field) : 0
    case 'average':
      return row && field ? averageOf(row, field) : null
    case 'minimum':
      return row?.least ?? null
    case 'maximum':
      return row?.most ?? null
  }
}

export const measures = ['count', 'sum', 'average', 'minimum', 'maximum'] as const

type Measure = (typeof measures)[number]

const any = maybe(given({}))
const summaryInput = { filter: any, measure: any, field: any, group_by: any } as const

/** Parses a summary. Invalid input is reported and becomes a plain count until the request is refused. */
function parseSummary(
  input: unknown,
  resource: Resource,
  report: Report,
): { measure: Measure; filter?: Condition; field?: FieldDefinition; grouping?: Grouping } {
  const { measure: sentMeasure, field, filter, group_by } = readSent(input, summaryInput, report)
  const fields = resource.fields
  const measure = parseMeasure(sentMeasure, report)
  return {
    measure,
    filter: parseFilter(filter, { resource, loose: false }, report),
    field: parseMeasured(field, { measure, fields }, report),
    grouping: parseGrouping(group_by, { resource, fields }, report),
  }
}

function parseMeasure(raw: unknown, report: Report): Measure {
  const measure = measures.find((name) => name === raw)
  if (measure) return measure
  if (isUnsent(raw)) report('measure', `The measure is required. Accepted: ${measures.join(', ')}.`)
  else report('measure', unknown('measure', raw, measures))
  return 'count'
}

function parseMeasured(
  raw: unknown,
  { measure, fields }: { measure: Measure; fields: FieldSet },
  report: Report,
): FieldDefinition | undefined {
  const codes = fields.list.filter(isMeasured).map((field) => field.code)
  if (measure === 'count') {
    if (!isUnsent(raw)) report('field', 'A count takes no field; it counts records. Filter by the field instead.')
    return undefined
  }
  const field = fields.byCode.get(codeIn(raw))
  if (field && isMeasured(field)) return field
  if (isUnsent(raw)) report('field', `The field is required for ${measure}. Accepted: ${named(codes)}.`)
  else report('field', unknown('field', raw, codes))
  return undefined
}

function isMeasured({ type }: FieldDefinition): boolean {
  return fieldTypes[type].sum !== undefined
}

function parseGrouping(
  raw: unknown,
  { resource, fields }: { resource: Resource; fields: FieldSet },
  report: Report,
): Grouping | undefined {
  if (isUnsent(raw)) return undefined
  const times = attributesOf(resource, 'time')
  if (typeof raw === 'string' && times.includes(raw)) return { by: 'month', attribute: raw }
  const relation = typeof raw === 'string' ? relationOf(resource, raw) : undefined
  if (relation?.kind === 'reference' || relation?.kind === 'linked')
    return { by: 'relation', name: String(raw), relation }
  const field = fields.byCode.get(codeIn(raw))
  const grouping = field && groupingBy(field)
  if (grouping) return grouping
  const relations = Object.keys(resource.relations).filter((name) => resource.relations[name]?.kind !== 'referring')
  const codes = fields.list.filter(groupingBy).map((one) => one.code)
  report('group_by', unknown('group_by', raw, [...times, ...relations, ...codes]))
  return undefined
}

function groupingBy(field: FieldDefinition): Grouping | undefined {
  const { isTime, hasOptions, orderedKeys } = fieldTypes[field.type]
  if (isTime) return { by: 'month', field }
  const hasChoices = hasOptions ? field.options.length > 0 : orderedKeys !== undefined
  return hasChoices ? { by: 'choice', field } : undefined
}

/** Fields may be named as in `sort`: bare, or with `custom_fields.` if a native attribute has the same name. */
function codeIn(raw: unknown): string {
  return typeof raw === 'string' ? raw.replace(/^custom_fields\./, '') : ''
}

function unknown(path: string, raw: unknown, accepted: readonly string[]): string {
  const sent = typeof raw === 'string' ? raw : ''
  return `The ${path} ${excerpt(sent)} cannot be used here. Accepted: ${named(accepted)}.${suggestion(sent, accepted)}`
}

function named(names: readonly string[]): string {
  return names.length === 0 ? 'none, for this resource has no such field' : names.join(', ')
}

const PART = 2n ** 20n

/** The exact decimal sum of a group: 0.1 and 0.2 make 0.3. */
export function sumOf(row: SummaryRow, field: FieldDefinition): number {
  return asNumber(unitsOf(row, field), decimalsOf(field))
}

/** Rounded to the decimals that the field shows. */
export function averageOf(row: SummaryRow, field: FieldDefinition): number | null {
  if (row.held === 0) return null
  const shown = fieldTypes[field.type].sum?.shown(field) ?? 0
  const step = 10n ** BigInt(decimalsOf(field) - shown)
  return asNumber(divided(unitsOf(row, field), BigInt(row.held) * step), shown)
}

function decimalsOf({ type }: FieldDefinition): number {
  return fieldTypes[type].sum?.decimals ?? 0
}

/** The sum in the smallest units. */
function unitsOf({ high_part, low_part, fraction }: SummaryRow, field: FieldDefinition): bigint {
  const whole = BigInt(high_part ?? 0) * PART + BigInt(low_part ?? 0)
  return whole * 10n ** BigInt(decimalsOf(field)) + BigInt(fraction ?? 0)
}

/** Rounded to the nearest, halves away from zero. */
function divided(units: bigint, by: bigint): bigint {
  const size = units < 0n ? -units : units
  const rounded = (size * 2n + by) / (by * 2n)
  return units < 0n ? -rounded : rounded
}

function asNumber(units: bigint, decimals: number): number {
  const size = String(units < 0n ? -units : units).padStart(decimals + 1, '0')
  const text = `${size.slice(0, size.length - decimals)}.${size.slice(size.length - decimals)}`
  const value = Number(text)
  return units < 0n ? -value : value
}
