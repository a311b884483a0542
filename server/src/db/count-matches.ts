import type { Condition, Test } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope.ts'
import { compileAll, compileFilter } from './filter.ts'
import { distinctIds } from './look-up.ts'
import { type Conjunct, conjunctsOf, widthOf } from './plan.ts'
import type { RecordSet } from './sets.ts'
import { needsIdOnly, type Source } from './source.ts'
import { type RawBuilder, sql } from './sql.ts'
import { existing } from './tests.ts'

/** How many records meet a filter. Counted in the narrowest index that is known, and complements from the whole. */
export async function countMatches(
  scope: Scope,
  resource: Resource,
  filter: Condition,
  live: number,
  source?: Source,
): Promise<number> {
  if (source?.total !== undefined) return source.total
  const opposite = oppositeOf(filter)
  if (opposite) return live - (await countMatches(scope, resource, opposite, live))
  const held = await countHeld(scope, filter)
  if (held !== undefined) return held
  if (source?.narrow) return count(scope, sql`${source.with} select count(*) as total ${source.from}`)
  return countBroad(scope, resource, filter, conjunctsOf(scope, resource, filter))
}

/** Up to so many are counted to find out which of several sets to begin with. */
const LEADER_BOUND = 20_000

type Leader = { condition: Condition; set: RecordSet }

function countBroad(
  scope: Scope,
  resource: Resource,
  filter: Condition,
  conjuncts: readonly Conjunct[],
): Promise<number> {
  const [only] = conjuncts
  if (conjuncts.length === 1 && only?.set) return countSet(scope, resource, only.set, filter)
  const leaders = conjuncts.flatMap(({ condition, set }) => (set?.exact ? [{ condition, set }] : []))
  if (leaders.length === 0) return countWalked(scope, resource, filter)
  const counts = leaders.map((leader) => countedFrom(scope, resource, leader, conjuncts))
  const [first = sql``] = counts
  if (counts.length === 1) return count(scope, sql`select ${first} as total`)
  // Which of them leads is found out by the same statement: only one of the branches is counted.
  const widths = leaders.map(({ set }, index) => sql`${widthOf(set, LEADER_BOUND)} as ${width(index)}`)
  const branches = counts.slice(0, -1).map((counted, index) => {
    const behind = counts.slice(index + 1).map((_, more) => sql`${width(index)} <= ${width(index + 1 + more)}`)
    return sql`when ${sql.join(behind, sql` and `)} then ${counted}`
  })
  return count(
    scope,
    sql`with widths as materialized (select ${sql.join(widths)})
      select case ${sql.join(branches, sql` `)} else ${counts.at(-1) ?? first} end as total from widths`,
  )
}

function width(index: number): RawBuilder<unknown> {
  return sql.raw(`w${index}`)
}

/** The records of one set that meet all the other conditions. */
function countedFrom(
  scope: Scope,
  resource: Resource,
  leader: Leader,
  conjuncts: readonly Conjunct[],
): RawBuilder<unknown> {
  const others = conjuncts.filter((one) => one.condition !== leader.condition).map((one) => one.condition)
  // The index holds live records only, so that the records themselves need not be looked at.
  const from = others.every(needsIdOnly)
    ? sql`from (select record_id as id from (${leader.set.select}) s) r0 where`
    : sql`from (${leader.set.select}) s cross join ${sql.table(resource.type)} r0
        where r0.workspace_id = ${scope.workspace.id} and r0.id = s.record_id and r0.deleted_at is null and`
  return sql`(select count(*) ${from} ${compileAll(scope, others)})`
}

function countSet(scope: Scope, resource: Resource, set: RecordSet, filter: Condition): Promise<number> {
  if (set.exact) return count(scope, sql`select count(*) as total from (${set.select}) s`)
  if (filter.node === 'field')
    return count(scope, sql`select count(*) as total from (${distinctIds(scope, set.select)}) s`)
  return countWalked(scope, resource, filter)
}

function countWalked(scope: Scope, resource: Resource, filter: Condition): Promise<number> {
  return count(
    scope,
    sql`select count(*) as total ${existing(scope, resource.type, 0)} and ${compileFilter(scope, filter)}`,
  )
}

/** The condition of which this one is the complement, where that one is easier to count. */
function oppositeOf(condition: Condition): Condition | undefined {
  switch (condition.node) {
    case 'not':
      return condition.condition
    case 'field': {
      const test = oppositeTest(condition.test)
      return test && { ...condition, test }
    }
    case 'link':
      if (condition.test.test === 'not-in') return { ...condition, test: { test: 'in', ids: condition.test.ids } }
      return condition.test.test === 'empty' && condition.test.empty
        ? { ...condition, test: { test: 'empty', empty: false } }
        : undefined
    default:
      return undefined
  }
}

function oppositeTest(test: Test): Test | undefined {
  switch (test.test) {
    case 'none':
      return { ...test, test: 'any' }
    case 'host-none':
      return { ...test, test: 'host-any' }
    case 'empty':
      return test.empty ? { test: 'empty', empty: false } : undefined
    default:
      return undefined
  }
}

/** Records that have any value in a field: counted in the part of the index that is the field's own. */
async function countHeld(scope: Scope, condition: Condition): Promise<number | undefined> {
  if (condition.node !== 'field' || condition.test.test !== 'empty' || condition.test.empty) return undefined
  const { field } = condition
  // Long texts have no key; their rows stand among the record's others only.
  if (field.type === 'textarea' || field.type === 'rich-text') return undefined
  const key = field.type === 'number' || field.type === 'currency' ? sql`v.number_key` : sql`v.match_key`
  const held = sql`select v.record_id from field_values v
    where v.workspace_id = ${scope.workspace.id} and v.field_id = ${field.id} and ${key} is not null`
  return count(scope, sql`select count(*) as total from (${distinctIds(scope, held)}) s`)
}

async function count(scope: Scope, query: RawBuilder<unknown>): Promise<number> {
  const { rows } = await query.execute(scope.db)
  // Every statement above selects one number called total.
  return (rows as { total: number }[])[0]?.total ?? 0
}
