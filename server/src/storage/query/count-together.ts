import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type RawBuilder, sql } from '../engines/sql.ts'
import { compileDated } from './dated-probe.ts'
import { compileAll } from './filter.ts'
import { distinctIds, LOOK_UP } from './look-up.ts'
import { type Conjunct, type Settled, widthOf } from './plan.ts'
import { needsIdOnly } from './source.ts'

/** So many of the conditions are considered as the first; each has a branch that names all the others. */
const LEADERS_MAX = 4

/**
 * Counts the records that meet several conditions, of which none is narrow; undefined where no index helps. There are two ways. Where the sets of the conditions are of
 * about the same size, both are read from their indexes and intersected. Where one is much smaller, its records are looked up one after the other to see whether
 * they meet the rest. Which way it is, and which set leads, the statement finds out itself: of its branches only one is counted.
 */
export function countTogether(
  scope: Scope,
  resource: Resource,
  conjuncts: readonly Conjunct[],
  live: number,
): RawBuilder<unknown> | undefined {
  const leaders = conjuncts
    .flatMap(({ condition, set }) => (set?.exact || set?.plain ? [{ condition, set }] : []))
    .slice(0, LEADERS_MAX)
  const [first] = leaders
  if (!first) return undefined
  if (leaders.length === 1) return sql`select ${counted(scope, resource, leaders, conjuncts)} as total`
  const bound = Math.ceil(live / LOOK_UP[scope.engine.dialect])
  const widths = leaders.map(({ set }, index) => sql`${widthOf(set, bound)} as ${named(index)}`)
  const each = leaders.map((_, index) => sql`select ${named(index)} as w from widths`)
  const branches = leaders.slice(0, -1).map((leader, index) => {
    const behind = leaders.slice(index + 1).map((_, more) => sql`${named(index)} <= ${named(index + 1 + more)}`)
    return sql`when ${sql.join(behind, AND)} then ${counted(scope, resource, [leader], conjuncts)}`
  })
  return sql`with widths as materialized (select ${sql.join(widths)}),
    narrowest as materialized (select min(w) as w from (${sql.join(each, sql` union all `)}) one)
    select case ${intersected(scope, resource, leaders, conjuncts, bound)} ${sql.join(branches, sql` `)}
      else ${counted(scope, resource, leaders.slice(-1), conjuncts)} end as total from widths`
}

const AND = sql` and `

function named(index: number): RawBuilder<unknown> {
  return sql.raw(`w${index}`)
}

/** The branch that intersects all sets that are parts of an index, unless one of them is far larger than the narrowest. */
function intersected(
  scope: Scope,
  resource: Resource,
  leaders: readonly Settled[],
  conjuncts: readonly Conjunct[],
  bound: number,
): RawBuilder<unknown> {
  const plain = leaders.filter((leader) => leader.set.plain)
  if (plain.length < 2) return sql``
  const most = sql`(select w * ${sql.lit(LOOK_UP[scope.engine.dialect])} from narrowest)`
  const fit = leaders.flatMap(({ set }, index) => {
    const further = sql`(select count(*) from (select 1 from (${set.select}) s limit ${most} + 1) bounded)`
    return set.plain
      ? [sql`case when ${named(index)} > ${bound} then ${further} else ${named(index)} end <= ${most}`]
      : []
  })
  return sql`when (select w from narrowest) > ${bound} or (${sql.join(fit, AND)})
    then ${counted(scope, resource, plain, conjuncts)}`
}

/** The records that are in all of these sets and meet all the other conditions. */
function counted(
  scope: Scope,
  resource: Resource,
  leaders: readonly Settled[],
  conjuncts: readonly Conjunct[],
): RawBuilder<unknown> {
  const led = new Set(leaders.map((leader) => leader.condition))
  const others = conjuncts.filter((one) => !led.has(one.condition)).map((one) => one.condition)
  const set = idsIn(scope, leaders)
  if (others.length === 0) return sql`(select count(*) from (${set}) s)`
  // The index holds live records only, so that the records themselves need not be looked at.
  const [only] = leaders
  if (leaders.length === 1 && only?.set.exact && only.set.dated && others.every(needsIdOnly))
    return sql`(select count(*) from (select record_id as id, created_at from (${set}) s) r0 where ${compileDated(scope, others)})`
  const from = others.every(needsIdOnly)
    ? sql`from (select record_id as id from (${set}) s) r0 where`
    : sql`from (${set}) s cross join ${sql.table(resource.type)} r0
        where r0.workspace_id = ${scope.workspace.id} and r0.id = s.record_id and r0.deleted_at is null and`
  return sql`(select count(*) ${from} ${compileAll(scope, others)})`
}

function idsIn(scope: Scope, leaders: readonly Settled[]): RawBuilder<unknown> {
  const [first] = leaders
  if (leaders.length === 1 && first) return first.set.exact ? first.set.select : distinctIds(scope, first.set.select)
  const ids = leaders.map(({ set }) => sql`select record_id from (${set.select}) one`)
  return sql.join(ids, sql` intersect `)
}
