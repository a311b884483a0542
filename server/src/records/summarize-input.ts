import { excerpt } from '@kith/contract/excerpt'
import type { Definitions, FieldDefinition, FieldSet } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import type { Condition } from '@kith/contract/filter'
import type { Report } from '@kith/contract/issue'
import { suggestion } from '@kith/contract/nearest'
import { parseFilter } from '@kith/contract/parse-filter'
import { isUnsent } from '@kith/contract/raw-input'
import { attributesOf, type Resource, relationOf } from '@kith/contract/resource'
import { parseSent } from '../fields/sent.ts'
import type { Grouping } from '../storage/query/summaries.ts'

export const measures = ['count', 'sum', 'average', 'minimum', 'maximum'] as const
export type Measure = (typeof measures)[number]

type SummaryQuery = { measure: Measure; filter?: Condition; field?: FieldDefinition; grouping?: Grouping }

/** Parses a summary. Invalid input is reported and becomes a plain count until the request is refused. */
export function parseSummary(
  input: unknown,
  { resource, definitions }: { resource: Resource; definitions: Definitions },
  report: Report,
): SummaryQuery {
  const sent = parseSent(input, { accepted: ['filter', 'measure', 'field', 'group_by'] }, report)
  const fields = definitions[resource.type]
  const measure = parseMeasure(sent.get('measure'), report)
  return {
    measure,
    filter: parseFilter(sent.get('filter'), { resource, definitions, loose: false }, report),
    field: parseMeasured(sent.get('field'), { measure, fields }, report),
    grouping: parseGrouping(sent.get('group_by'), { resource, fields }, report),
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
  if (relation && relation.kind !== 'referring') return { by: 'relation', name: String(raw), relation }
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

/** Fields may be named as in a list's `sort`: bare, or behind `custom_fields.` where a native name is the same. */
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
