import type { Condition } from '@kith/contract/filter'
import { mergeRanges } from '@kith/contract/merge-ranges'
import type { Resource } from '@kith/contract/resource'
import type { SortKey } from '@kith/contract/sort'
import type { Scope } from '../../scope/scope.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { hasKey, type Keys, liveRows, liveRowsIn } from './fragments.ts'
import { compileAll, compileFilter, needsEntryOnly } from './predicates.ts'
import { findNarrowest, type IndexedCondition } from './set-widths.ts'
import { type RecordSet, setOf } from './sets.ts'

/** One of the conditions of a filter that must all hold, and the set that an index offers for it. */
type Conjunct = { condition: Condition; set: RecordSet | undefined }

export function conjunctsOf(scope: Scope, resource: Resource, filter: Condition): Conjunct[] {
  return mergeRanges([filter]).map((condition) => ({ condition, set: setOf(scope, resource, condition) }))
}

/**
 * How the records of a list are read: `with …` in front of the statement, and `from … where …` with `r0` for the
 * record.
 */
export type Plan = {
  with: Sql<unknown>
  from: Sql<unknown>
  /** Whether it starts with a set that is read as a whole. */
  narrow: boolean
  /** Whether `r0` is an index entry with no more than `id` and `created_at`. The rows are then looked up. */
  indexOnly: boolean
  /** The order of the list in columns of an index that has this order. */
  order?: Sql<unknown>
  /** How many records there are, if the plan has counted them. */
  total?: number
}

type Planned = {
  filter?: Condition
  sort: readonly SortKey[]
  live: number
  backwards?: boolean
  /** Whether the total is needed, too. */
  counting?: boolean
}

/**
 * Chooses how to read a list: all records, the records of a narrow set, or a scan in the order of the list that checks
 * the filter on each record.
 */
export async function planList(scope: Scope, resource: Resource, planned: Planned): Promise<Plan> {
  const { filter, live, counting = false } = planned
  if (!filter) return wholeList(scope, resource)
  const conjuncts = conjunctsOf(scope, resource, filter)
  const narrow = scope.engine.narrowMax(live)
  // A total has to read the whole set anyway, so that the page comes with it.
  const countable = counting && conjuncts.length > 1 ? Math.max(narrow, scope.engine.countedMax(live)) : narrow
  const indexed = conjuncts.flatMap(({ condition, set }) => (set ? [{ condition, set }] : []))
  const first = await findNarrowest(scope, indexed, { narrow, countable })
  if (!first) return scan(scope, resource, { ...planned, filter, conjuncts })
  const others = conjuncts.flatMap(({ condition }) => (condition === first.condition ? [] : [condition]))
  const total = others.length === 0 && first.set.exact ? first.width : undefined
  return { ...narrowSet(scope, resource, { first, others, sort: planned.sort }), total }
}

/** All records of a resource. */
export function wholeList(scope: Scope, resource: Resource): Plan {
  return { with: sql``, from: liveRows(scope, resource.type, 0), narrow: false, indexOnly: false }
}

type Narrow = { first: IndexedCondition; others: readonly Condition[]; sort: readonly SortKey[] }

/** The records of a set, on which the other conditions are checked. */
function narrowSet(scope: Scope, resource: Resource, { first, others, sort }: Narrow): Plan {
  const { set, condition } = first
  if (set.exact && set.dated && isByCreation(sort) && others.every(needsEntryOnly)) {
    const entries = sql`(select record_id as id, created_at from (${set.select}) s) r0`
    const from = sql`from ${entries} where ${compileAll(scope, others)}`
    return { with: sql``, from, narrow: true, indexOnly: true }
  }
  const checked = set.exact ? others : [condition, ...others]
  return {
    with: sql`with matching as materialized (${scope.engine.hints.distinctIds(set.select)})`,
    from: sql`${liveRowsIn(scope, resource.type, sql`matching`)} and ${compileAll(scope, checked)}`,
    narrow: true,
    indexOnly: false,
  }
}

function isByCreation(sort: readonly SortKey[]): boolean {
  return sort.every((key) => key.by === 'attribute' && key.name === 'created_at')
}

type Scanned = Planned & { filter: Condition; conjuncts: readonly Conjunct[] }

/** A scan of the list, or of the entries of one match key, which the index has in the order of `-created_at`. */
function scan(scope: Scope, resource: Resource, { filter, conjuncts, sort, backwards = false }: Scanned): Plan {
  const [key] = sort
  const newestFirst = sort.length === 1 && key?.by === 'attribute' && key.name === 'created_at' && key.descending
  const leader = newestFirst && !backwards ? conjuncts.find(({ condition }) => singleKey(condition)) : undefined
  const single = leader && singleKey(leader.condition)
  if (!single) {
    const from = sql`${liveRows(scope, resource.type, 0)} and ${compileFilter(scope, filter)}`
    return { with: sql``, from, narrow: false, indexOnly: false }
  }
  const others = conjuncts.flatMap((one) => (one === leader ? [] : [one.condition]))
  return {
    with: sql``,
    from: sql`from field_values v cross join ${sql.table(resource.type)} r0
      where v.workspace_id = ${scope.workspace.id} and v.field_id = ${single.field_id} and ${hasKey(single)}
      and r0.workspace_id = ${scope.workspace.id} and r0.id = v.record_id and r0.deleted_at is null
      and ${compileAll(scope, others)}`,
    order: sql`v.created_at desc, v.record_id`,
    narrow: false,
    indexOnly: false,
  }
}

/** The only match key of a custom field that meets a condition. */
function singleKey(condition: Condition): (Keys & { field_id: string }) | undefined {
  if (condition.node !== 'field') return undefined
  const { field, test } = condition
  if (test.test === 'exact') return { field_id: field.id, keys: [test.key], texts: [test.text] }
  return test.test === 'any' && test.keys.length === 1 ? { ...test, field_id: field.id } : undefined
}
