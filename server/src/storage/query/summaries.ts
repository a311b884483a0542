import type { FieldDefinition } from '@kith/contract/field-definition'
import type { Condition } from '@kith/contract/filter'
import { SUMMARY_GROUPS_MAX } from '@kith/contract/limits'
import type { Relation, Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import { loadState } from '../tables/counts.ts'
import { memoryFor } from './pages.ts'
import { findSource, type Source } from './source.ts'
import { existing, keyOf } from './tests.ts'

/** By what records are grouped. Times are grouped by their month. */
export type Grouping =
  | { by: 'choice'; field: FieldDefinition }
  | { by: 'month'; field: FieldDefinition }
  | { by: 'month'; attribute: 'created_at' | 'updated_at' }
  | { by: 'relation'; name: string; relation: Relation }

export type Summary = { filter?: Condition; field?: FieldDefinition; grouping?: Grouping }

/** What the database found out about the records of a group. */
export type SummaryRow = {
  kind: 'group' | 'empty' | 'other'
  key: string | null
  records: number
  /** How many of them have a value in the field that is summed up. */
  held: number
  /** The sum in three whole numbers, each of them exact: multiples of 2^20, the rest before the point, and thousandths or billionths. */
  high_part: number | null
  low_part: number | null
  fraction: number | null
  least: number | null
  most: number | null
}

/** Sums up the records that meet a filter, in groups: the largest ones each, all others as one. */
export async function loadSummary(scope: Scope, resource: Resource, asked: Summary): Promise<readonly SummaryRow[]> {
  const { filter, field, grouping } = asked
  const state = await loadState(scope, resource.type)
  const memory = memoryFor(scope, resource, filter, state)
  const name = `${field?.id} ${nameOf(grouping)}`
  memory.summaries ??= new Map()
  const known = memory.summaries.get(name)
  if (known) return known
  const source = await findSource(scope, resource, { filter, sort: [], live: state.live }, memory)
  const query = sql<SummaryRow>`${ranked(aggregated(scope, resource, source, asked), grouping)}`
  const { rows } = await query.execute(scope.db)
  memory.summaries.set(name, rows)
  return rows
}

function nameOf(grouping: Grouping | undefined): string {
  if (!grouping) return ''
  if ('attribute' in grouping) return grouping.attribute
  return 'field' in grouping ? grouping.field.id : `relation ${grouping.name}`
}

function aggregated(scope: Scope, resource: Resource, source: Source, { field, grouping }: Summary) {
  const { native, key, join } = groupOf(scope, resource, source, grouping)
  // In the order of creation, in which the values of records stand beside one another: SQLite would take any other.
  const inOrder = source.narrow ? sql`` : sql`and r0.created_at >= ''`
  const records = sql`${source.with} select r0.id as id, ${native} as native ${source.from} ${inOrder}`
  const measured = field
    ? sql`left join field_values m on m.workspace_id = ${scope.workspace.id} and m.record_id = b.id and m.field_id = ${field.id}`
    : sql``
  const value = field ? sql`m.number_key` : sql.raw('cast(null as double precision)')
  const groups = sql`
    select w.key, count(*) as records, count(w.x) as held, sum(w.high) as high_part, sum(w.whole - w.high * 1048576.0) as low_part,
      sum(${fraction(field)}) as fraction, min(w.x) as least, max(w.x) as most
    from (select v.key, v.x, floor(v.x) as whole, floor(floor(v.x) / 1048576.0) as high
      from (select ${key} as key, ${value} as x from (${records}) b ${join} ${measured}) v) w
    group by w.key`
  return grouping?.by === 'relation' && grouping.relation.kind === 'reference'
    ? withoutMissing(scope, grouping.relation, groups)
    : groups
}

/** Up to here a double tells thousandths apart; larger amounts are of currencies with fewer decimals. */
const THOUSANDTHS_BELOW = 2 ** 43

/** The part behind the point as a whole number, so that sums of amounts are exact. */
function fraction(field: FieldDefinition | undefined): RawBuilder<unknown> {
  const rest = sql`(w.x - w.whole)`
  if (field?.type !== 'currency') return sql`floor(${rest} * 1000000000.0 + 0.5)`
  return sql`case when abs(w.x) < ${sql.lit(THOUSANDTHS_BELOW)} then floor(${rest} * 1000.0 + 0.5)
    else floor(${rest} * 100.0 + 0.5) * 10.0 end`
}

type Group = { native: RawBuilder<unknown>; key: RawBuilder<unknown>; join: RawBuilder<unknown> }

const NOTHING = sql.raw('cast(null as text)')

/** The key of a record's group: a column of its own, one of its values, or what it is linked to. */
function groupOf(scope: Scope, resource: Resource, source: Source, grouping: Grouping | undefined): Group {
  if (!grouping) return { native: NOTHING, key: NOTHING, join: sql`` }
  if ('attribute' in grouping) {
    return {
      native: column(scope, resource, source, grouping.attribute),
      key: sql`substr(b.native, 1, 7)`,
      join: sql``,
    }
  }
  if ('field' in grouping) {
    const join = sql`left join field_values g on g.workspace_id = ${scope.workspace.id} and g.record_id = b.id
      and g.field_id = ${grouping.field.id}`
    return { native: NOTHING, key: grouping.by === 'month' ? sql`substr(g.match_key, 1, 7)` : sql`g.match_key`, join }
  }
  const { relation, name } = grouping
  if (relation.kind === 'reference') {
    return { native: column(scope, resource, source, relation.column), key: sql`b.native`, join: sql`` }
  }
  const join = sql`left join links l on l.workspace_id = ${scope.workspace.id} and l.from_id = b.id and l.relation = ${name}
    and exists (select 1 ${existing(scope, relation.to, 1)} and ${sql.ref(`r1.${keyOf(relation.to)}`)} = l.to_id)`
  return { native: NOTHING, key: sql`l.to_id`, join }
}

/** A source that is an index alone knows no more of a record than its id and time. */
function column(scope: Scope, resource: Resource, source: Source, name: string): RawBuilder<unknown> {
  if (!source.thin || name === 'created_at') return sql.ref(`r0.${name}`)
  return sql`(select ${sql.ref(`r9.${name}`)} from ${sql.table(resource.type)} r9
    where r9.workspace_id = ${scope.workspace.id} and r9.id = r0.id)`
}

const sums = sql.raw(
  `sum(records) as records, sum(held) as held, sum(high_part) as high_part, sum(low_part) as low_part,
   sum(fraction) as fraction, min(least) as least, max(most) as most`,
)

/** Who refers to something that is deleted, or to someone who has left, refers to nothing. */
function withoutMissing(scope: Scope, { to }: Relation, groups: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select e.there as key, ${sums} from (
    select case when exists (select 1 ${existing(scope, to, 1)} and ${sql.ref(`r1.${keyOf(to)}`)} = a.key)
      then a.key end as there, a.* from (${groups}) a) e
    group by e.there`
}

function ranked(groups: RawBuilder<unknown>, grouping: Grouping | undefined): RawBuilder<unknown> {
  const order = grouping?.by === 'month' ? sql`g.key desc` : sql`g.records desc, g.key`
  const most = sql.lit(SUMMARY_GROUPS_MAX)
  return sql`select p.kind, p.shown as key, ${sums} from (
      select case when k.key is null then 'empty' when k.place <= ${most} then 'group' else 'other' end as kind,
        case when k.place <= ${most} then k.key end as shown, k.*
      from (select g.*, row_number() over (
        partition by case when g.key is null then 1 else 0 end order by ${order}) as place from (${groups}) g) k) p
    group by p.kind, p.shown order by p.kind, p.shown`
}
