import { heldOptions } from '@kith/contract/field-types/choice'
import type { Resource } from '@kith/contract/resource'
import { averageDecimals, type Group, type SummaryQuery } from '@kith/contract/summary'
import type { Reader } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { columnOf, isOf } from '../tables/numbers.ts'
import { loadLiveCount } from '../tables/records.ts'
import { countMatches } from './pages.ts'
import { keyWithin, type Periods, periodsIn, type Range } from './periods.ts'
import { type Plan, planList } from './plan.ts'
import { groupValues, propertyValues, valueColumns } from './property-values.ts'
import { groupsInIndex } from './summary-index.ts'

/** The key of a group: the id of an option, member or record, a word, or the number of a period. */
type Key = string | number | null
type Value = number | string | null

export type LoadedSummary = {
  groups: readonly { keys: readonly Key[]; value: Value; count: number }[]
  total: number
  other: { value: Value; count: number } | null
}

/**
 * `periods`: for each group that is a date or a time, those of its values; null if there are none. `members`: their ids
 * in the order of their names.
 */
type SummaryRequest = SummaryQuery & { periods: readonly (Periods | null | undefined)[]; members: readonly string[] }

/** Sums up the records that meet a filter. The database sorts the groups, and returns those that are shown. */
export async function loadSummary(scope: Reader, resource: Resource, asked: SummaryRequest): Promise<LoadedSummary> {
  const { filter, measure, limit } = asked
  if (asked.groups.length === 0 && measure === 'count') {
    const live = await loadLiveCount(scope, resource.type)
    const count = filter ? await countMatches(scope, resource, { filter, live }) : live
    return { groups: [{ keys: [], value: count, count }], total: 1, other: null }
  }
  const groups = valuedGroups(scope, asked, await groupsOf(scope, resource, asked))
  const rows = await sql<Row>`${groups} ${shownGroups(scope, asked)}`.all(scope.db)
  const shown = rows.filter(({ place }) => place <= limit).sort((one, two) => one.place - two.place)
  const rest = rows.find(({ place }) => place > limit)
  const other = rest && { value: rest.value, count: rest.count }
  // The values of several groups may be the same.
  if (other && measure === 'distinct') other.value = await countOther(scope, asked, groups)
  return {
    groups: shown.map(({ k0, k1, value, count }) => ({ keys: [k0, k1].slice(0, asked.groups.length), value, count })),
    total: Math.max(0, ...rows.map(({ total }) => total)),
    other: other ?? null,
  }
}

type Row = { k0: Key; k1: Key; value: Value; count: number; place: number; total: number }

/**
 * The periods of a group that is a date or a time: null without any value, undefined if there are too many. Those of
 * all records are found at the ends of an index, and are often few enough.
 */
export async function loadPeriods(
  scope: Reader,
  resource: Resource,
  { group, ...asked }: SummaryQuery & { group: Group },
): Promise<Periods | null | undefined> {
  const { period = 'day', time_zone } = asked
  const within = ({ smallest, largest }: Ends) =>
    smallest === null || largest === null
      ? null
      : periodsIn({ smallest, largest }, period, group.by === 'day' ? null : time_zone)
  const all = within(await loadEnds(scope, ends(scope, group)))
  if (all !== undefined) return all
  const plan = await planOf(scope, resource, asked)
  const base = baseOf(scope, { ...asked, groups: [group], field: undefined, periods: [], plan })
  return within(await loadEnds(scope, sql`select min(b.k0) as smallest, max(b.k0) as largest from (${base.select}) b`))
}

type Ends = { [End in keyof Range]: string | null }

async function loadEnds(scope: Reader, query: Sql<unknown>): Promise<Ends> {
  return (await sql<Ends>`${query}`.one(scope.db)) ?? { smallest: null, largest: null }
}

/** The smallest and the largest value of all records. Two selects, because SQLite reads the whole index otherwise. */
function ends(scope: Reader, { property }: Group): Sql<unknown> {
  const of = (value: Sql<unknown>, from: Sql<unknown>) =>
    sql`select (select min(${value}) ${from}) as smallest, (select max(${value}) ${from}) as largest`
  if (property.of !== 'field') {
    const from = sql`from records r where ${isOf(scope, property.resource.type, 'r')} and r.deleted_at is null`
    return of(sql.ref(`r.${columnOf(property.name)}`), from)
  }
  const { number } = property.field
  const from = sql`from field_values where workspace = ${scope.workspace.number} and field = ${number}
    and match_key is not null`
  return of(sql`match_key`, from)
}

export async function planOf(
  scope: Reader,
  resource: Resource,
  { filter }: Pick<SummaryQuery, 'filter'>,
): Promise<Plan> {
  const live = await loadLiveCount(scope, resource.type)
  return planList(scope, resource, { filter, sort: [], live, whole: true })
}

/** The parts of a statement that end with `grouped`: the groups. `base`: the records with their keys and values. */
async function groupsOf(scope: Reader, resource: Resource, asked: SummaryRequest): Promise<Sql<unknown>> {
  const indexed = await groupsInIndex(scope, resource, asked)
  if (indexed) return sql`grouped as materialized (${indexed})`
  const base = baseOf(scope, { ...asked, plan: await planOf(scope, resource, asked) })
  const { part, held } = aggregatesOf(scope, { ...asked, many: base.many })
  const count = base.many ? sql`count(distinct b.record)` : sql`count(*)`
  // Without groups there is one row, also without records.
  const [keys, by] =
    asked.groups.length === 0
      ? [sql`${NOTHING} as k0, ${NOTHING} as k1`, sql``]
      : [sql`b.k0, b.k1`, sql`group by b.k0, b.k1`]
  return sql`base as (${base.select}), grouped as materialized (
    select ${keys}, ${count} as count, ${part} as part, ${held} as held from base b ${by})`
}

/** `valued`: all groups with their values. */
function valuedGroups(scope: Reader, asked: SummaryRequest, grouped: Sql<unknown>): Sql<unknown> {
  return sql`with recursive ${grouped}, ${completeGroups(asked)}
    valued as (select g.*, ${groupValue(scope, asked)} as value from complete g)`
}

/** One row for each record in each of its groups. There are at least two keys. */
export function baseOf(
  scope: Reader,
  { groups, field, periods, plan }: Pick<SummaryRequest, 'groups' | 'field' | 'periods'> & { plan: Plan },
): { select: Sql<unknown>; many: boolean } {
  // In the order of creation, which is also the order of the values of records: SQLite would choose another one.
  const inOrder = plan.narrow ? sql`` : sql`and r0.created_at >= ''`
  const columns = sql.join(valueColumns.map((name) => sql.ref(`r0.${name}`)))
  const grouped = groups.map((group, index) => {
    return groupValues(scope, group, { alias: 'b', number: String(index), keyOf: keyWithin(periods[index]) })
  })
  const measured = field ? [propertyValues(scope, field.property, { alias: 'b', number: 'x' })] : []
  const keys = Array.from({ length: Math.max(2, groups.length) }, (_, index) => {
    return sql`${grouped[index]?.value ?? NOTHING} as ${sql.ref(`k${index}`)}`
  })
  const joins = [...grouped, ...measured].map(({ join }) => join)
  const select = sql`select b.number as record, ${sql.join(keys)}, ${measured[0]?.value ?? NOTHING} as x
    from (${plan.with} select ${columns} ${plan.from} ${inOrder}) b ${sql.join(joins, sql` `)}`
  return { select, many: measured.some(({ many }) => many) }
}

const NOTHING = sql.raw('cast(null as text)')

/** What is kept of the values of a group. */
function aggregatesOf(
  { engine: { decimals } }: Reader,
  { measure, many }: SummaryRequest & { many: boolean },
): { part: Sql<unknown>; held: Sql<unknown> } {
  const held = measure === 'average' ? sql`count(b.x)` : sql`0`
  switch (measure) {
    case 'count':
      return { part: sql`0`, held }
    case 'filled':
      return { part: many ? sql`count(distinct case when b.x is not null then b.record end)` : sql`count(b.x)`, held }
    case 'distinct':
      return { part: sql`count(distinct b.x)`, held }
    case 'sum':
    case 'average':
      return { part: decimals.sum(sql`b.x`), held }
    case 'smallest':
      return { part: sql`min(b.x)`, held }
    case 'largest':
      return { part: sql`max(b.x)`, held }
  }
}

/** The same of several groups. */
function mergedPart({ engine: { decimals } }: Reader, { measure }: SummaryRequest): Sql<unknown> {
  switch (measure) {
    case 'count':
    case 'distinct':
      return sql`0`
    case 'filled':
      return sql`sum(g.part)`
    case 'sum':
    case 'average':
      return decimals.sum(sql`g.part`)
    case 'smallest':
      return sql`min(g.part)`
    case 'largest':
      return sql`max(g.part)`
  }
}

function groupValue({ engine: { decimals } }: Reader, { measure, field }: SummaryRequest): Sql<unknown> {
  switch (measure) {
    case 'count':
      return sql`g.count`
    case 'filled':
    case 'distinct':
      return sql`coalesce(g.part, 0)`
    case 'sum':
      return sql`coalesce(${decimals.number(sql`g.part`)}, 0)`
    case 'average':
      return decimals.average(sql`g.part`, { count: sql`g.held`, decimals: averageDecimals(field?.property) })
    case 'smallest':
    case 'largest':
      return sql`g.part`
  }
}

/** Adds the periods without records between the first and the last. */
function completeGroups({ groups, periods }: SummaryRequest): Sql<unknown> {
  if (groups.length !== 1 || !periods[0]) return sql`complete as (select * from grouped),`
  return sql`
    series (n) as (select min(k0) from grouped union all
      select n + 1 from series where n < (select max(k0) from grouped)),
    complete as (select * from grouped union all
      select n, null, 0, null, 0 from series
      where n is not null and n not in (select k0 from grouped where k0 is not null)),`
}

/**
 * Groups without a value come last. Choices and periods have an order of their own; others are sorted by value unless
 * they are sorted by label.
 */
function orderOf(scope: Reader, { groups, sort, members }: SummaryRequest): Sql<unknown> {
  const keys = groups.map((group, index) => {
    const key = sql.ref(`g.k${index}`)
    const own = ownOrder(group, key)
    return { key, own, empty: sql`${key} is null`, label: own ?? labelOrder(scope, { group, members }, key) }
  })
  if (sort === 'label' && keys.length > 0) {
    return sql.join(keys.flatMap(({ empty, label, key }) => [empty, label, key]))
  }
  const byValue = sort === undefined ? keys.findIndex(({ own }) => !own) : 0
  const led = byValue < 0 ? keys : keys.slice(0, byValue)
  const others = keys.slice(led.length)
  return sql.join([
    ...led.flatMap(({ empty, own }) => [empty, own]),
    ...others.map(({ empty }) => empty),
    sql`g.value is null`,
    sort === 'value' ? sql`g.value` : sql`g.value desc`,
    ...others.map(({ own, key }) => own ?? key),
  ])
}

function ownOrder({ by, property }: Group, key: Sql<unknown>): Sql<unknown> | undefined {
  if (by === 'day' || by === 'time') return key
  if (by !== 'choice' || property.of !== 'field') return undefined
  return placeAmong(
    heldOptions(property.field).map(({ id }) => id),
    key,
  )
}

function labelOrder(
  scope: Reader,
  { group: { property }, members }: { group: Group; members: readonly string[] },
  key: Sql<unknown>,
): Sql<unknown> {
  if (property.of !== 'relation') return key
  const { to } = property.relation
  if (to === 'users') return placeAmong(members, key)
  return sql`(select n.name_key from records n where ${isOf(scope, to, 'n')} and n.id = ${key})`
}

function placeAmong(ids: readonly string[], key: Sql<unknown>): Sql<unknown> {
  const places = ids.map((id, place) => sql`when ${id} then ${sql.lit(place)}`)
  return places.length === 0 ? key : sql`case ${key} ${sql.join(places, sql` `)} end`
}

/** The shown groups, and all others as one. Numbering all groups takes twice as long if there are many. */
function shownGroups(scope: Reader, asked: SummaryRequest): Sql<unknown> {
  const order = orderOf(scope, asked)
  const limit = sql.lit(asked.limit)
  return sql`
    select g.k0, g.k1, g.value, g.count, row_number() over (order by ${order}) as place,
      (select count(*) from complete) as total
    from (select g.* from valued g order by ${order} limit ${limit}) g
    union all
    select null, null, ${groupValue(scope, asked)}, g.count, ${limit} + 1, 0
    from (select sum(g.count) as count, ${mergedPart(scope, asked)} as part, sum(g.held) as held
      from (${otherGroups(scope, asked)}) g having count(*) > 0) g`
}

function otherGroups(scope: Reader, asked: SummaryRequest): Sql<unknown> {
  return sql`select g.* from valued g order by ${orderOf(scope, asked)} limit ${ALL} offset ${sql.lit(asked.limit)}`
}

const ALL = sql.lit(1_000_000_000)

/** The different values of all groups that are not shown. */
function countOther(scope: Reader, asked: SummaryRequest, groups: Sql<unknown>): Promise<number> {
  const same = asked.groups.map((_, index) => {
    const none = asked.periods[index] === undefined ? sql`''` : sql`-1`
    const key = (alias: string) => sql`coalesce(${sql.ref(`${alias}.k${index}`)}, ${none})`
    return sql`${key('b')} = ${key('g')}`
  })
  const query = sql`${groups} select count(distinct b.x) from base b
    join (${otherGroups(scope, asked)}) g on ${sql.join(same, sql` and `)}`
  return query.count(scope.db)
}
