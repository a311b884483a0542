import { fieldTypes } from '@kith/contract/field-types'
import type { Condition, Test } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import { liveRows } from './fragments.ts'
import { type Conjunct, conjunctsOf, type Plan } from './plan.ts'
import { compileAll, compileFilter, needsIdOnly } from './predicates.ts'
import type { IndexedCondition } from './set-widths.ts'

type Total = RawBuilder<{ total: number }>

type Counted = { filter: Condition; live: number; plan?: Plan }

/** How many records meet a filter. Complements are subtracted from the number of live records. */
export async function countMatches(scope: Scope, resource: Resource, counted: Counted): Promise<number> {
  const { filter, live, plan } = counted
  if (plan?.total !== undefined) return plan.total
  const opposite = oppositeOf(filter)
  if (opposite) return live - (await countMatches(scope, resource, { filter: opposite, live }))
  const query: Total =
    countHeld(scope, filter) ??
    (plan?.narrow ? sql`${plan.with} select count(*) as total ${plan.from}` : countBroad(scope, resource, counted))
  return (await query.one(scope.db))?.total ?? 0
}

/**
 * Broad sets are intersected; the records of a smaller one are looked up instead. Without any set, the list is scanned.
 */
function countBroad(scope: Scope, resource: Resource, { filter, plan }: Counted): Total {
  const conjuncts = conjunctsOf(scope, resource, filter)
  const whole = conjuncts.flatMap(({ condition, set }) => (set?.exact || set?.range ? [{ condition, set }] : []))
  const leaders = plan?.counted ? [plan.counted] : whole
  if (leaders.length > 0) return countAmong(scope, resource, { leaders, conjuncts })
  return sql`select count(*) as total ${liveRows(scope, resource.type, 0)} and ${compileFilter(scope, filter)}`
}

type Among = { leaders: readonly IndexedCondition[]; conjuncts: readonly Conjunct[] }

/** Counts the records that are in all sets of the leaders and meet the other conditions. */
function countAmong(scope: Scope, resource: Resource, { leaders, conjuncts }: Among): Total {
  const led = new Set(leaders.map(({ condition }) => condition))
  const others = conjuncts.flatMap(({ condition }) => (led.has(condition) ? [] : [condition]))
  const ids = idsIn(scope, leaders)
  if (others.length === 0) return sql`select count(*) as total from (${ids}) s`
  // The index holds live records only: the records themselves are read only if a condition needs more than their id.
  const from = others.every(needsIdOnly)
    ? sql`from (select record_id as id from (${ids}) s) r0 where`
    : sql`from (${ids}) s cross join ${sql.table(resource.type)} r0
        where r0.workspace_id = ${scope.workspace.id} and r0.id = s.record_id and r0.deleted_at is null and`
  return sql`select count(*) as total ${from} ${compileAll(scope, others)}`
}

function idsIn(scope: Scope, leaders: readonly IndexedCondition[]): RawBuilder<unknown> {
  const [first, ...more] = leaders
  if (first && more.length === 0) {
    return first.set.exact ? first.set.select : scope.engine.hints.distinctIds(first.set.select)
  }
  const ids = leaders.map(({ set }) => sql`select record_id from (${set.select}) one`)
  return sql.join(ids, sql` intersect `)
}

/** The condition of which this one is the complement, if that is easier to count. */
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

/** Counts the records that have any value in a field, in the part of the index that belongs to the field. */
function countHeld(scope: Scope, condition: Condition): Total | undefined {
  if (condition.node !== 'field' || condition.test.test !== 'empty' || condition.test.empty) return undefined
  const { field } = condition
  // Long texts have no key, so that only the index by record has them.
  const { valueKey } = fieldTypes[field.type]
  if (valueKey === undefined) return undefined
  const key = sql.ref(`v.${valueKey}`)
  const held = sql`select v.record_id from field_values v
    where v.workspace_id = ${scope.workspace.id} and v.field_id = ${field.id} and ${key} is not null`
  return sql`select count(*) as total from (${scope.engine.hints.distinctIds(held)}) s`
}
