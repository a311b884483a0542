import type { Condition } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import type { SortKey } from '@kith/contract/sort'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import { compileDated, singleKey } from './dated-probe.ts'
import { compileAll, compileFilter } from './filter.ts'
import { distinctIds, LOOK_UP, lookedUpLive } from './look-up.ts'
import type { Memory } from './memory.ts'
import { type Conjunct, conjunctsOf, FEW, findStart, type Settled, type Start } from './plan.ts'
import { existing, hasKey } from './tests.ts'

/** Where the rows of a list come from: `with …` in front of the statement, and `from … where …` with `r0` for the record. */
export type Source = {
  with: RawBuilder<unknown>
  from: RawBuilder<unknown>
  /** Whether `r0` is the record itself, or only its id and time from an index: then the row is looked up afterwards. */
  thin: boolean
  /** Whether it begins with few records, so that going through all of it is cheap. */
  narrow: boolean
  /** The order of the list in the words of an index that has it already. */
  order?: RawBuilder<unknown>
  /** Whether no more than a few records have to be looked at for a page from its beginning, or from a place. */
  few?: boolean
  /** How many records there are, where finding the source told it. */
  total?: number
}

type Asked = {
  filter?: Condition
  sort: readonly SortKey[]
  live: number
  backwards?: boolean
  /** Whether the total is wanted along with the first page. */
  counting?: boolean
}

/** All records of a resource. */
export function wholeList(scope: Scope, resource: Resource, [key, ...others]: readonly SortKey[]): Source {
  const isIndexed = others.length === 0 && key?.by !== 'field'
  return { with: sql``, from: existing(scope, resource.type, 0), thin: false, narrow: false, few: isIndexed }
}

/**
 * Chooses how to come to the records of a list. Few matches are gathered from an index and sorted. Many are met
 * along the way when the list is walked in its order, probing each record; and where an index of values is in that
 * order itself, it is the one that is walked.
 */
export async function findSource(scope: Scope, resource: Resource, asked: Asked, memory: Memory): Promise<Source> {
  const { filter, sort, live, backwards = false, counting = false } = asked
  if (!filter) return wholeList(scope, resource, sort)
  const conjuncts = conjunctsOf(scope, resource, filter)
  const narrow = scope.engine.narrowMax(live)
  const bounds = { narrow, countable: counting ? Math.max(narrow, scope.engine.countedMax(live)) : narrow }
  const start = await findStart(scope, conjuncts, memory, bounds)
  const others = conjuncts.filter((one) => one.condition !== start?.conjunct.condition)
  const total = others.length === 0 && start?.conjunct.set.exact ? start.width : undefined
  if (start && start.width <= narrow) {
    const conditions = others.map((one) => one.condition)
    const source = thinSource(scope, start.conjunct, conditions, sort)
    const few = start.conjunct.set.plain && start.width <= FEW
    return { ...(source ?? gathered(scope, resource, start.conjunct, conditions)), total, few }
  }
  const counted = start && counting && total === undefined ? countedSource(scope, start, others, asked) : undefined
  if (counted) return counted
  return { ...(ordered(scope, resource, conjuncts, sort, backwards) ?? walked(scope, resource, filter)), total }
}

/** A set that is not narrow, but gone through once for the page and the total: walking would find the page sooner, and then all of the set would still have to be counted. */
function countedSource(
  scope: Scope,
  start: Start,
  others: readonly Conjunct[],
  { sort, live }: Asked,
): Source | undefined {
  const probed = thinSource(
    scope,
    start.conjunct,
    others.map((one) => one.condition),
    sort,
  )
  if (scope.engine.dialect === 'sqlite') return others.every(hasOneKey) ? probed : undefined
  return (probed && met(scope, start, others, live)) ?? probed
}

/** The other set is taken for a third of all records. */
const SHARE = 3

/** Where there are many records to be looked up, the next set is gone along in its index instead, and its records sought among them. */
function met(scope: Scope, { conjunct, width }: Start, others: readonly Conjunct[], live: number): Source | undefined {
  const next = others.find(({ set }) => set?.exact && set.dated && set.plain)
  if (!next?.set || width * LOOK_UP.postgres < live / SHARE) return undefined
  const rest = others.filter((one) => one !== next).map((one) => one.condition)
  // As a condition of its own, so that PostgreSQL puts the ids by and looks among them, whatever it guesses of their number.
  const among = sql`(r0.id in (select s.record_id from (${conjunct.set.select}) s)) is true`
  return {
    with: sql``,
    from: sql`from (select record_id as id, created_at from (${next.set.select}) s) r0 where ${among} and ${compileAll(scope, rest)}`,
    thin: true,
    narrow: true,
  }
}

function gathered(scope: Scope, resource: Resource, { set, condition }: Settled, others: readonly Condition[]): Source {
  const probed = set.exact ? others : [condition, ...others]
  return {
    with: sql`with matching as materialized (${distinctIds(scope, set.select)})`,
    from: sql`${lookedUpLive(scope, resource.type, sql`matching`)} and ${compileAll(scope, probed)}`,
    thin: false,
    narrow: true,
  }
}

/** The index alone, where it knows all that the order and the other conditions ask for. */
function thinSource(
  scope: Scope,
  { set }: Settled,
  others: readonly Condition[],
  sort: readonly SortKey[],
): Source | undefined {
  if (!set.exact || !set.dated || !isByCreation(sort) || !others.every(needsIdOnly)) return undefined
  return {
    with: sql``,
    from: sql`from (select record_id as id, created_at from (${set.select}) s) r0 where ${compileDated(scope, others)}`,
    thin: true,
    narrow: true,
  }
}

export function isByCreation(sort: readonly SortKey[]): boolean {
  return sort.every((key) => key.by === 'attribute' && key.name === 'created_at')
}

/** A probe of custom values needs to know no more than the record's id. */
export function needsIdOnly(condition: Condition): boolean {
  switch (condition.node) {
    case 'field':
      return condition.test.test !== 'contains'
    case 'and':
    case 'or':
      return condition.conditions.every(needsIdOnly)
    case 'not':
      return needsIdOnly(condition.condition)
    default:
      return false
  }
}

function walked(scope: Scope, resource: Resource, filter: Condition): Source {
  const from = sql`${existing(scope, resource.type, 0)} and ${compileFilter(scope, filter)}`
  return { with: sql``, from, thin: false, narrow: false }
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
  const { field } = leader.condition
  const wanted = singleKey(leader.condition)
  if (!wanted) return undefined
  const others = conjuncts.filter((one) => one !== leader).map((one) => one.condition)
  return {
    with: sql``,
    from: sql`from field_values v cross join ${sql.table(resource.type)} r0
      where v.workspace_id = ${scope.workspace.id} and v.field_id = ${field.id} and ${hasKey(wanted)}
      and r0.workspace_id = ${scope.workspace.id} and r0.id = v.record_id and r0.deleted_at is null
      and ${compileAll(scope, others)}`,
    order: sql`v.created_at desc, v.record_id`,
    thin: false,
    narrow: false,
  }
}

function hasOneKey({ condition }: Conjunct): boolean {
  return condition.node === 'field' && singleKey(condition) !== undefined
}
