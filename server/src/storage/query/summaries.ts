import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import type { Condition } from '@kith/contract/filter'
import { SUMMARY_GROUPS_MAX } from '@kith/contract/limits'
import type { Relation, Resource } from '@kith/contract/resource'
import type { Reader } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { isOf } from '../tables/numbers.ts'
import { loadLiveCount } from '../tables/records.ts'
import { keyOf, liveRows } from './order.ts'
import { countMatches } from './pages.ts'
import { type Plan, planList } from './plan.ts'

/** How records are grouped. Times are grouped by month. */
export type Grouping =
  | { by: 'choice'; field: FieldDefinition }
  | { by: 'month'; field: FieldDefinition }
  | { by: 'month'; attribute: string }
  | { by: 'relation'; name: string; relation: Relation }

type Summary = { filter?: Condition; field?: FieldDefinition; grouping?: Grouping }

/** The numbers of one group. */
export type SummaryRow = {
  kind: 'group' | 'empty' | 'other'
  key: string | null
  records: number
  /** How many of them have a value in the measured field. */
  held: number
  /** The sum in three exact integers: multiples of 2^20, the rest before the point, and thousandths or billionths. */
  high_part: number | null
  low_part: number | null
  fraction: number | null
  least: number | null
  most: number | null
}

/** Sums up the records that meet a filter, in groups: the largest ones each, all others as one. */
export async function loadSummary(scope: Reader, resource: Resource, summary: Summary): Promise<readonly SummaryRow[]> {
  const { filter, grouping, field } = summary
  const live = await loadLiveCount(scope, resource.type)
  if (filter === undefined && isSingle(summary)) return loadFromIndex(scope, resource, { ...summary, live })
  if (filter && !grouping && !field) {
    const plan = await planList(scope, resource, { filter, sort: [], live })
    // The total of the list, which is counted in the index where that can be.
    return [{ ...nothing, records: await countMatches(scope, resource, { filter, live, plan }) }]
  }
  const plan = await planList(scope, resource, { filter, sort: [], live, whole: true })
  const query = sql<SummaryRow>`${ranked(aggregated(scope, { ...summary, plan }), grouping)}`
  return query.all(scope.db)
}

/** The records without a group, before they are counted. */
const nothing: SummaryRow = {
  kind: 'empty',
  key: null,
  records: 0,
  held: 0,
  high_part: null,
  low_part: null,
  fraction: null,
  least: null,
  most: null,
}

/** Whether each record has one group and one measured value at most, both in an index. */
function isSingle({ field, grouping }: Summary): boolean {
  if (grouping && 'attribute' in grouping) return false
  if (grouping?.by === 'relation' && grouping.relation.kind !== 'reference') return false
  if (grouping && 'field' in grouping && fieldTypes[grouping.field.type].list) return false
  return field === undefined || !fieldTypes[field.type].list
}

/**
 * Sums up all records from the index entries of the groups and of the measured field alone. Looking up both values of
 * each record takes twice as long, and a count 30 times. Records without either value have no entry: they are the live
 * ones that are left.
 */
async function loadFromIndex(
  scope: Reader,
  resource: Resource,
  { field, grouping, live }: Summary & { live: number },
): Promise<readonly SummaryRow[]> {
  const keys = grouping && keysOf(scope, resource, grouping)
  const numbers = field && numberValues(scope, field)
  const values = keys && numbers ? scope.engine.hints.paired(keys, numbers) : (keys ?? numbers)
  const groups = values && withoutMissing(scope, grouping, grouped(values, field))
  const rows = groups ? await sql<SummaryRow>`${ranked(groups, grouping)}`.all(scope.db) : []
  const left = live - rows.reduce((sum, { records }) => sum + records, 0)
  if (left <= 0) return rows
  const empty = rows.find(({ kind }) => kind === 'empty') ?? nothing
  return [...rows.filter((row) => row !== empty), { ...empty, records: empty.records + left }]
}

const NO_NUMBER = sql.raw('cast(null as double precision)')

/** The group of each record that has one. */
function keysOf(scope: Reader, { type }: Resource, grouping: Grouping): Sql<unknown> | undefined {
  const { andInTime } = scope.engine.hints
  if ('field' in grouping) {
    return sql`select record, ${keyIn(grouping, 'match_key')} as key, ${NO_NUMBER} as x from field_values
      where workspace = ${scope.workspace.number} and field = ${grouping.field.number} and match_key is not null
      ${andInTime('record')}`
  }
  if ('attribute' in grouping || grouping.relation.kind !== 'reference') return undefined
  const column = sql.ref(`r.${grouping.relation.column}`)
  return sql`select r.number as record, ${column} as key, ${NO_NUMBER} as x from records r
    where ${isOf(scope, type, 'r')} and r.deleted_at is null and ${column} is not null
    ${andInTime('r.number')}`
}

/** The group of a value: itself, or its month. */
function keyIn({ by }: Grouping, column: string): Sql<unknown> {
  return by === 'month' ? sql`substr(${sql.ref(column)}, 1, 7)` : sql.ref(column)
}

function numberValues({ workspace, engine }: Reader, { number }: FieldDefinition): Sql<unknown> {
  return sql`select record, ${NOTHING} as key, number_key as x from field_values
    where workspace = ${workspace.number} and field = ${number} and number_key is not null
    ${engine.hints.andInTime('record')}`
}

function aggregated(scope: Reader, { plan, field, grouping }: Summary & { plan: Plan }): Sql<unknown> {
  const { native, key, join } = groupOf(scope, grouping)
  // In the order of creation, which is also the order of the values of records: SQLite would choose another one.
  const inOrder = plan.narrow ? sql`` : sql`and r0.created_at >= ''`
  const records = sql`${plan.with} select r0.id as id, r0.number as record, ${native} as native ${plan.from} ${inOrder}`
  const measured = field
    ? sql`left join field_values m on m.workspace = ${scope.workspace.number} and m.record = b.record
        and m.field = ${field.number}`
    : sql``
  const value = field ? sql`m.number_key` : NO_NUMBER
  const groups = grouped(sql`select ${key} as key, ${value} as x from (${records}) b ${join} ${measured}`, field)
  return withoutMissing(scope, grouping, groups)
}

/** The numbers of each group of values, which are rows of `key` and `x`. */
function grouped(values: Sql<unknown>, field: FieldDefinition | undefined): Sql<unknown> {
  if (field === undefined) {
    return sql`select v.key, count(*) as records, 0 as held, ${NO_NUMBER} as high_part, ${NO_NUMBER} as low_part,
      ${NO_NUMBER} as fraction, ${NO_NUMBER} as least, ${NO_NUMBER} as most from (${values}) v group by v.key`
  }
  return sql`
    select w.key, count(*) as records, count(w.x) as held, sum(w.high) as high_part,
      sum(w.whole - w.high * 1048576.0) as low_part, sum(${fraction(field)}) as fraction,
      min(w.x) as least, max(w.x) as most
    from (select v.key, v.x, floor(v.x) as whole, floor(floor(v.x) / 1048576.0) as high
      from (${values}) v) w
    group by w.key`
}

/** Below this a double represents thousandths; larger amounts have currencies with fewer decimals. */
const THOUSANDTHS_BELOW = 2 ** 43

/** The part after the decimal point as an integer, so that sums of amounts are exact. */
function fraction(field: FieldDefinition): Sql<unknown> {
  const rest = sql`(w.x - w.whole)`
  if (fieldTypes[field.type].sum?.decimals !== 3) return sql`floor(${rest} * 1000000000.0 + 0.5)`
  return sql`case when abs(w.x) < ${sql.lit(THOUSANDTHS_BELOW)} then floor(${rest} * 1000.0 + 0.5)
    else floor(${rest} * 100.0 + 0.5) * 10.0 end`
}

const NOTHING = sql.raw('cast(null as text)')

/** The key of a record's group: a column of the record, one of its values, or a record that it is linked to. */
function groupOf(
  scope: Reader,
  grouping: Grouping | undefined,
): { native: Sql<unknown>; key: Sql<unknown>; join: Sql<unknown> } {
  if (!grouping) return { native: NOTHING, key: NOTHING, join: sql`` }
  const column = (name: string) => sql.ref(`r0.${name}`)
  if ('attribute' in grouping) {
    return { native: column(grouping.attribute), key: keyIn(grouping, 'b.native'), join: sql`` }
  }
  if ('field' in grouping) {
    const join = sql`left join field_values g on g.workspace = ${scope.workspace.number} and g.record = b.record
      and g.field = ${grouping.field.number}`
    return { native: NOTHING, key: keyIn(grouping, 'g.match_key'), join }
  }
  const { relation, name } = grouping
  if (relation.kind === 'reference') return { native: column(relation.column), key: sql`b.native`, join: sql`` }
  const join = sql`left join links l on l.workspace_id = ${scope.workspace.id} and l.from_id = b.id
    and l.relation = ${name}
    and exists (select 1 ${liveRows(scope, relation.to, 1)} and ${sql.ref(`r1.${keyOf(relation.to)}`)} = l.to_id)`
  return { native: NOTHING, key: sql`l.to_id`, join }
}

const sums = sql.raw(
  `sum(records) as records, sum(held) as held, sum(high_part) as high_part, sum(low_part) as low_part,
   sum(fraction) as fraction, min(least) as least, max(most) as most`,
)

/** A reference to a deleted record or a former member counts as none. */
function withoutMissing(scope: Reader, grouping: Grouping | undefined, groups: Sql<unknown>): Sql<unknown> {
  if (grouping?.by !== 'relation' || grouping.relation.kind !== 'reference') return groups
  const { to } = grouping.relation
  return sql`select e.there as key, ${sums} from (
    select case when exists (select 1 ${liveRows(scope, to, 1)} and ${sql.ref(`r1.${keyOf(to)}`)} = a.key)
      then a.key end as there, a.* from (${groups}) a) e
    group by e.there`
}

function ranked(groups: Sql<unknown>, grouping: Grouping | undefined): Sql<unknown> {
  const order = grouping?.by === 'month' ? sql`g.key desc` : sql`g.records desc, g.key`
  const most = sql.lit(SUMMARY_GROUPS_MAX)
  return sql`select p.kind, p.shown as key, ${sums} from (
      select case when k.key is null then 'empty' when k.place <= ${most} then 'group' else 'other' end as kind,
        case when k.place <= ${most} then k.key end as shown, k.*
      from (select g.*, row_number() over (
        partition by case when g.key is null then 1 else 0 end order by ${order}) as place from (${groups}) g) k) p
    group by p.kind, p.shown order by p.kind, p.shown`
}
