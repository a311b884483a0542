import type { Condition } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import type { SortKey } from '@kith/contract/sort'
import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../scope.ts'
import { compileAll, compileFilter } from './filter.ts'
import type { Memory } from './memory.ts'
import { type Conjunct, conjunctsOf, findStart } from './plan.ts'
import { existing, hasKey } from './tests.ts'

/** Where the rows of a list come from: `with …` in front of the statement, and `from … where …` with `r0` for the record. */
export type Source = {
  with: RawBuilder<unknown>
  from: RawBuilder<unknown>
  /** The order of the list in the words of an index that has it already. */
  order?: RawBuilder<unknown>
  /** How many records there are, where finding the source told it. */
  total?: number
}

type Asked = { filter?: Condition; sort: readonly SortKey[]; backwards?: boolean }

/**
 * Chooses how to come to the records of a list. Few matches are gathered from an index and sorted. Many are met
 * along the way when the list is walked in its order, probing each record; and where an index of values is in that
 * order itself, it is the one that is walked.
 */
export async function findSource(scope: Scope, resource: Resource, asked: Asked, memory: Memory): Promise<Source> {
  const { filter, sort, backwards = false } = asked
  if (!filter) return { with: sql``, from: existing(scope, resource.type, 0) }
  const conjuncts = conjunctsOf(scope, resource, filter)
  const start = await findStart(scope, conjuncts, memory)
  if (start) {
    const { set } = start.conjunct
    const alone = conjuncts.length === 1 && set.exact
    return { ...gathered(scope, resource, start.conjunct, conjuncts), total: alone ? start.width : undefined }
  }
  return ordered(scope, resource, conjuncts, sort, backwards) ?? walked(scope, resource, filter)
}

function gathered(scope: Scope, resource: Resource, start: Conjunct, conjuncts: readonly Conjunct[]): Source {
  const probes = conjuncts.filter((one) => one.condition !== start.condition || !start.set?.exact)
  const conditions = probes.map((one) => one.condition)
  return {
    with: sql`with matching as materialized (select distinct record_id from (${start.set?.select ?? sql``}) s)`,
    from: sql`from matching m cross join ${sql.table(resource.type)} r0
      where r0.workspace_id = ${scope.workspace.id} and r0.id = m.record_id and r0.deleted_at is null
      and ${compileAll(scope, conditions)}`,
  }
}

function walked(scope: Scope, resource: Resource, filter: Condition): Source {
  return { with: sql``, from: sql`${existing(scope, resource.type, 0)} and ${compileFilter(scope, filter)}` }
}

/** The index of values by match key has, for one key, the records in the order of `-created_at`. */
function ordered(
  scope: Scope,
  resource: Resource,
  conjuncts: readonly Conjunct[],
  sort: readonly SortKey[],
  backwards: boolean,
): Source | undefined {
  const [key] = sort
  const newestFirst = sort.length === 1 && key?.by === 'attribute' && key.name === 'created_at' && key.descending
  const leader = newestFirst && !backwards ? conjuncts.find(hasOneKey) : undefined
  if (leader?.condition.node !== 'field') return undefined
  const { field, test } = leader.condition
  if (test.test !== 'any' && test.test !== 'exact') return undefined
  const wanted = test.test === 'any' ? test : { keys: [test.key], texts: [test.text] }
  const others = conjuncts.filter((one) => one !== leader).map((one) => one.condition)
  return {
    with: sql``,
    from: sql`from field_values v cross join ${sql.table(resource.type)} r0
      where v.workspace_id = ${scope.workspace.id} and v.field_id = ${field.id} and ${hasKey(wanted)}
      and r0.workspace_id = ${scope.workspace.id} and r0.id = v.record_id and r0.deleted_at is null
      and ${compileAll(scope, others)}`,
    order: sql`v.created_at desc, v.record_id`,
  }
}

function hasOneKey({ condition }: Conjunct): boolean {
  if (condition.node !== 'field') return false
  const { test } = condition
  return test.test === 'exact' || (test.test === 'any' && test.keys.length === 1)
}
