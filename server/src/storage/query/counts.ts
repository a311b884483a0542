import { fieldTypes } from '@kith/contract/field-types'
import type { Condition, Test } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { liveRows } from './fragments.ts'
import { conjunctsOf, type Plan } from './plan.ts'
import { compileAll, compileFilter, needsEntryOnly } from './predicates.ts'
import type { RecordSet } from './sets.ts'

type Counted = { filter: Condition; live: number; plan?: Plan }

/** How many records meet a filter. Complements are subtracted from the number of live records. */
export async function countMatches(scope: Scope, resource: Resource, counted: Counted): Promise<number> {
  const { filter, live, plan } = counted
  if (plan?.total !== undefined) return plan.total
  const opposite = oppositeOf(filter)
  if (opposite) return live - (await countMatches(scope, resource, { filter: opposite, live }))
  const query =
    countHeld(scope, filter) ??
    (plan?.narrow ? sql`${plan.with} select count(*) as total ${plan.from}` : countBroad(scope, resource, filter))
  return query.count(scope.db)
}

/** Broad sets are intersected, and other conditions are checked on what remains. Without sets the list is scanned. */
function countBroad(scope: Scope, resource: Resource, filter: Condition): Sql<unknown> {
  const sets: RecordSet[] = []
  const others: Condition[] = []
  for (const { condition, set } of conjunctsOf(scope, resource, filter)) {
    if (set?.exact || set?.range) sets.push(set)
    else others.push(condition)
  }
  if (sets.length > 0) return countAmong(scope, resource, { sets, others })
  return sql`select count(*) as total ${liveRows(scope, resource.type, 0)} and ${compileFilter(scope, filter)}`
}

type Among = { sets: readonly RecordSet[]; others: readonly Condition[] }

/** Counts the records that are in all of the sets and meet the other conditions. */
function countAmong(scope: Scope, resource: Resource, { sets, others }: Among): Sql<unknown> {
  if (others.length === 0) return sql`select count(*) as total from (${intersection(scope, sets, 'record_id')}) s`
  // The index holds live records only: the records themselves are read only if a condition needs more than the entry.
  const from =
    sets.every(({ dated }) => dated) && others.every(needsEntryOnly)
      ? sql`from (select record_id as id, created_at from (${intersection(scope, sets, 'record_id, created_at')}) s) r0 where`
      : sql`from (${intersection(scope, sets, 'record_id')}) s cross join ${sql.table(resource.type)} r0
        where r0.workspace_id = ${scope.workspace.id} and r0.id = s.record_id and r0.deleted_at is null and`
  return sql`select count(*) as total ${from} ${compileAll(scope, others)}`
}

/** The entries that are in all of the sets, each once. */
function intersection(scope: Scope, sets: readonly RecordSet[], columns: string): Sql<unknown> {
  // Those of an exact set are distinct already.
  const [first, ...others] = sets.toSorted((one, other) => Number(other.exact) - Number(one.exact))
  if (!first) throw new Error('An intersection needs a set.')
  if (others.length === 0 && first.exact) return first.select
  const distinct = first.exact ? sql`` : sql`distinct`
  const entries = sql`select ${distinct} ${sql.raw(columns)} from (${first.select}) one`
  if (others.length === 0) return entries
  return scope.engine.hints.within(
    entries,
    others.map(({ select }) => sql`select ${sql.raw(columns)} from (${select}) one`),
  )
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
    case 'external-ids': {
      const { test } = condition
      if (test.test === 'none') return { ...condition, test: { ...test, test: 'any' } }
      return test.test === 'empty' && test.empty ? { ...condition, test: { test: 'empty', empty: false } } : undefined
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
function countHeld(scope: Scope, condition: Condition): Sql<unknown> | undefined {
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
