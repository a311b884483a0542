import { reportUnknown } from './answer-options.ts'
import { excerpt } from './excerpt.ts'
import type { FieldDefinition } from './field-definition.ts'
import { fieldTypes } from './field-types.ts'
import type { Condition } from './filter.ts'
import { type BoundedReport, boundedReport, type Report } from './issue.ts'
import { PERIODS_MAX, SUMMARY_GROUP_BY_MAX, SUMMARY_GROUPS_DEFAULT, SUMMARY_GROUPS_MAX } from './limits.ts'
import { meantName } from './meant-name.ts'
import { suggestion } from './nearest.ts'
import { parseFilter } from './parse-filter.ts'
import { parseWord } from './parse-word.ts'
import { isUnsent, parseWhole } from './raw-input.ts'
import { type Attribute, CUSTOM_FIELDS, type Relation, type Resource, relationOf, resourceIn } from './resource.ts'
import * as is from './shape.ts'
import { parseTimeZone } from './time-zone.ts'

export const measures = ['count', 'sum', 'average', 'smallest', 'largest', 'filled', 'distinct'] as const
type Measure = (typeof measures)[number]

export const periods = ['day', 'week', 'month', 'quarter', 'year'] as const
export type Period = (typeof periods)[number]

export const summarySorts = ['label', 'value', '-value'] as const
type SummarySort = (typeof summarySorts)[number]

/** A relation whose ids the record itself has. */
export type OwnRelation = Exclude<Relation, { kind: 'referring' | 'inverse' }>

/** What a summary can measure or group by: an attribute, a relation or a custom field of a record. */
export type Property = { name: string; resource: Resource } & (
  | { of: 'attribute'; kind: Exclude<Attribute['kind'], 'reference'> }
  | { of: 'relation'; relation: OwnRelation }
  | { of: 'field'; field: FieldDefinition }
)

/** What the values of a property are to a summary. `word`: a creation source. `day` has no time zone. */
type GroupedBy = 'choice' | 'flag' | 'day' | 'time' | 'word' | 'related'

/** `through`: the relation to the record that has the property. */
export type Group = { name: string; by: GroupedBy; property: Property; through?: Property & { of: 'relation' } }

export type SummaryQuery = {
  filter?: Condition | undefined
  measure: Measure
  /** Of every measure but a count; `name` is as it was sent. */
  field?: { name: string; property: Property } | undefined
  groups: readonly Group[]
  /** Sent if a group is a date or a time. */
  period?: Period | undefined
  time_zone: string
  limit: number
  sort?: SummarySort | undefined
}

const says = {
  field:
    'What is measured: an attribute, a relation, or `custom_fields.<code>`. Required for every measure but `count`.',
  group_by:
    'What the records of a group have in common: a choice, checkbox, toggle, date or time (`custom_fields.<code>`), `created_at`, `updated_at`, `creation_source`, a relation such as `company`, or one of these of a related record: `company.custom_fields.tier`.',
  period: `Required if a group is a date or a time. A summary has at most ${PERIODS_MAX} periods.`,
  time_zone: 'An IANA name, in which times belong to periods. Dates ignore it. `UTC` unless sent.',
  limit: `How many groups are shown. ${SUMMARY_GROUPS_DEFAULT} unless sent.`,
  sort: 'The largest values first, and periods and choices in their own order, unless sent. Empty groups come last.',
}

/** The body of a summary, for the OpenAPI document and the tool. */
export function summaryInput(filter: is.Schema) {
  return {
    filter: is.orNull(is.given(filter)),
    measure: is.or('count', is.word(measures, '`count` unless sent.')),
    field: is.orNull(is.text({ says: says.field })),
    group_by: is.or([], is.list(is.text(), { maxItems: SUMMARY_GROUP_BY_MAX, says: says.group_by })),
    period: is.orNull(is.word(periods, says.period)),
    time_zone: is.or('UTC', is.text({ says: says.time_zone })),
    limit: is.or(SUMMARY_GROUPS_DEFAULT, is.whole({ from: 1, to: SUMMARY_GROUPS_MAX, says: says.limit })),
    sort: is.orNull(is.word(summarySorts, says.sort)),
  } as const
}

const parameters = Object.keys(summaryInput({}))

const key = is.object({
  id: is.orNull(
    is.text(),
    'An option, member or record, a word, `true` or `false`, or a period. Null: without a value.',
  ),
  label: is.text(),
})

const count = is.whole({ says: 'How many records the group has.' })

const value = is.given<number | string | null>({
  type: ['number', 'string', 'null'],
  description: 'Exact. A text is the smallest or largest date or time. Null if no record has a value.',
})

const summaryRow = { keys: is.list(key, { says: 'One for each name in `group_by`.' }), value, count } as const
export type SummaryRow = is.Shown<typeof summaryRow>

const summaryMeta = {
  measure: is.word(measures),
  field: is.orNull(is.text()),
  currency: is.orNull(is.text({ says: 'The ISO 4217 code of the field.' })),
  total_groups: is.whole({ says: 'How many groups there are, shown or not.' }),
  other: is.orNull(is.object({ value, count }), 'All groups that are not shown, together.'),
} as const
export type SummaryMeta = is.Shown<typeof summaryMeta>

export const summaryComponents = {
  SummaryRow: is.shownSchema(summaryRow),
  Summary: is.closed({ data: is.listSchema('SummaryRow', SUMMARY_GROUPS_MAX), meta: is.shownSchema(summaryMeta) }),
}

/** Reads the body of a summary. What is invalid is reported. */
export function parseSummary(raw: Record<string, unknown>, resource: Resource, report: Report): SummaryQuery {
  const bounded = boundedReport(report)
  reportUnknown(raw, parameters, bounded)
  const measure = parseWord(raw.measure, { name: 'measure', words: measures }, bounded.report) ?? 'count'
  const field = parseField(raw.field, { measure, resource }, bounded.report)
  const groups = parseGroups(raw.group_by, resource, bounded)
  return {
    measure,
    field,
    groups,
    period: parsePeriod(raw.period, groups, bounded.report),
    time_zone: isUnsent(raw.time_zone) ? 'UTC' : parseTimeZone(raw.time_zone, bounded.report),
    filter: parseFilter(raw.filter, { resource, loose: false }, bounded.report),
    limit: parseWhole(raw.limit, { name: 'limit', max: SUMMARY_GROUPS_MAX }, bounded.report) ?? SUMMARY_GROUPS_DEFAULT,
    sort: parseWord(raw.sort, { name: 'sort', words: summarySorts }, bounded.report),
  }
}

function parseField(
  raw: unknown,
  { measure, resource }: { measure: Measure; resource: Resource },
  report: Report,
): SummaryQuery['field'] {
  const fitting = propertiesOf(resource).filter((property) => fits(property, measure))
  const accepted = named(fitting, resource)
  if (isUnsent(raw)) {
    if (measure !== 'count') report('field', `The field is required for ${measure}. Accepted: ${accepted}.`)
    return undefined
  }
  const sent = typeof raw === 'string' ? raw : ''
  const property = propertyNamed(propertiesOf(resource), sent)
  if (property && fits(property, measure)) return { name: sent, property }
  if (measure === 'count' && property) {
    report('field', `A count takes no field: it counts records. Of ${property.name} there is ${fittingOf(property)}.`)
  } else if (property) {
    const others = fittingOf(property)
    report('field', `There is no ${measure} of ${property.name}, but ${others}. Fields for ${measure}: ${accepted}.`)
  } else {
    const names = measure === 'count' ? 'none, for a count counts records' : accepted
    const near = measure === 'count' ? '' : nearOf(sent, fitting, resource)
    report('field', `The field ${excerpt(sent)} cannot be measured. Accepted for ${measure}: ${names}.${near}`)
  }
  return undefined
}

/** The measures that a property has. */
function fittingOf(property: Property): string {
  return measures.filter((measure) => fits(property, measure)).join(', ')
}

export function fits(property: Property, measure: Measure): boolean {
  const type = property.of === 'field' ? fieldTypes[property.field.type] : undefined
  const isTime = type ? type.isTime : property.of === 'attribute' && property.kind === 'time'
  switch (measure) {
    case 'count':
      return false
    case 'sum':
    case 'average':
      return type?.decimals !== undefined
    case 'smallest':
    case 'largest':
      return type?.decimals !== undefined || isTime === true
    case 'filled':
      return true
    case 'distinct':
      return type ? type.valueKey !== undefined : true
  }
}

/** To how many decimals the average of a property is rounded. */
export function averageDecimals(property: Property | undefined): number {
  const field = property?.of === 'field' ? property.field : undefined
  return field ? (fieldTypes[field.type].decimals?.(field) ?? 0) + FURTHER_DECIMALS : 0
}

const FURTHER_DECIMALS = 2

function parseGroups(raw: unknown, resource: Resource, { report, full }: BoundedReport): Group[] {
  if (isUnsent(raw)) return []
  if (!Array.isArray(raw) || raw.length > SUMMARY_GROUP_BY_MAX) {
    report('group_by', `The group_by must be a list of at most ${SUMMARY_GROUP_BY_MAX} names.`)
    return []
  }
  const groups: Group[] = []
  for (const [index, sent] of raw.entries()) {
    if (full()) break
    const group = typeof sent === 'string' ? groupNamed(sent, resource) : undefined
    if (!group) report(`group_by.${index}`, notGrouped(typeof sent === 'string' ? sent : '', resource))
    else if (groups.some(({ name }) => name === group.name)) {
      report(`group_by.${index}`, `The group_by names ${group.name} more than once.`)
    } else groups.push(group)
  }
  return groups
}

/** What a name in `group_by` means. A bare code is enough for a field. */
export function groupNamed(sent: string, resource: Resource): Group | undefined {
  const property = propertyNamed(groupable(resource), sent)
  if (property) return { name: property.name, by: groupedBy(property) ?? 'word', property }
  const step = stepIn(sent, resource)
  const there = step && groupNamed(step.rest, resourceIn(resource.schema, step.through.relation.to))
  if (!step || !there || there.through) return undefined
  return { ...there, name: `${step.through.name}.${there.name}`, through: step.through }
}

/** The relation that a name begins with, and the rest of the name. */
function stepIn(
  sent: string,
  resource: Resource,
): { through: Property & { of: 'relation' }; rest: string } | undefined {
  const parts = sent.split('.')
  // The name of a reference field has two parts.
  const name = parts.splice(0, sent.startsWith(CUSTOM_FIELDS) ? 2 : 1).join('.')
  const relation = relationOf(resource, name)
  if (parts.length === 0 || !relation || !isOwnRelation(relation) || relation.to === 'users') return undefined
  return { through: { of: 'relation', name, relation, resource }, rest: parts.join('.') }
}

function notGrouped(sent: string, resource: Resource): string {
  const step = stepIn(sent, resource)
  const prefix = step ? `${step.through.name}.` : ''
  const there = step ? resourceIn(resource.schema, step.through.relation.to) : resource
  const names = groupable(there).map(({ name }) => prefix + name)
  const [related] = Object.keys(resource.relations).filter((name) => stepIn(`${name}.`, resource))
  const further = related && !step ? `; and these of a related record, such as ${related}.creation_source` : ''
  const bare = names.map((name) => name.replace(CUSTOM_FIELDS, ''))
  const near = suggestion(sent, [...names, ...bare]) || (step ? '' : meantName(sent, resource, names))
  return `The ${resource.type} cannot be grouped by ${excerpt(sent)}. Accepted: ${names.join(', ')}${further}.${near}`
}

function groupable(resource: Resource): Property[] {
  return propertiesOf(resource).filter(groupedBy)
}

function groupedBy(property: Property): GroupedBy | undefined {
  switch (property.of) {
    case 'relation':
      return 'related'
    case 'field':
      return fieldTypes[property.field.type].groupedBy
    case 'attribute':
      return property.kind === 'time' ? 'time' : property.kind === 'source' ? 'word' : undefined
  }
}

function isOwnRelation(relation: Relation): relation is OwnRelation {
  return relation.kind !== 'referring' && relation.kind !== 'inverse'
}

/** Everything that the records of a resource have themselves. */
export function propertiesOf(resource: Resource): Property[] {
  const attributes = Object.entries(resource.attributes).flatMap(([name, { kind }]): Property[] =>
    kind === 'reference' ? [] : [{ of: 'attribute', name, kind, resource }],
  )
  const relations = Object.entries(resource.relations).flatMap(([name, relation]): Property[] =>
    isOwnRelation(relation) ? [{ of: 'relation', name, relation, resource }] : [],
  )
  // The values of the others are relations.
  const valued = resource.fields.list.filter((field) => !fieldTypes[field.type].refersTo)
  const fields = valued.map((field): Property => {
    return { of: 'field', name: CUSTOM_FIELDS + field.code, field, resource }
  })
  return [...attributes, ...relations, ...fields]
}

/** A bare code is enough where nothing else has that name. */
function propertyNamed(properties: readonly Property[], sent: string): Property | undefined {
  const called = (name: string) => properties.find((property) => property.name === name)
  return called(sent) ?? called(CUSTOM_FIELDS + sent)
}

function named(properties: readonly Property[], { type }: Resource): string {
  return properties.length === 0
    ? `none, for ${type} have no such field`
    : properties.map(({ name }) => name).join(', ')
}

function nearOf(sent: string, properties: readonly Property[], resource: Resource): string {
  const names = properties.map(({ name }) => name)
  const bare = names.map((name) => name.replace(CUSTOM_FIELDS, ''))
  return suggestion(sent, [...names, ...bare]) || meantName(sent, resource, names)
}

function parsePeriod(raw: unknown, groups: readonly Group[], report: Report): Period | undefined {
  const period = parseWord(raw, { name: 'period', words: periods }, report)
  const dated = groups.find(({ by }) => by === 'day' || by === 'time')
  if (dated && isUnsent(raw)) {
    report('period', `The period is required to group by ${dated.name}. Accepted: ${periods.join(', ')}.`)
  }
  return period
}
