import type { Condition, Test } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import { countTogether } from './count-together.ts'
import { compileFilter } from './filter.ts'
import { distinctIds } from './look-up.ts'
import { type Conjunct, conjunctsOf } from './plan.ts'
import type { RecordSet } from './sets.ts'
import type { Source } from './source.ts'
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
  return countBroad(scope, resource, filter, conjunctsOf(scope, resource, filter), live)
}

function countBroad(
  scope: Scope,
  resource: Resource,
  filter: Condition,
  conjuncts: readonly Conjunct[],
  live: number,
): Promise<number> {
  const [only] = conjuncts
  if (conjuncts.length === 1 && only?.set) return countSet(scope, resource, only.set, filter)
  const together = countTogether(scope, resource, conjuncts, live)
  return together ? count(scope, together) : countWalked(scope, resource, filter)
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
