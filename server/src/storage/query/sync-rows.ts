import type { Condition } from '@kith/contract/filter'
import type { Resource } from '@kith/contract/resource'
import type { SearchParts } from '@kith/contract/search-words'
import type { Reader } from '../engines/engine.ts'
import { documentField, SOME } from '../engines/search-fields.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { holdersOf } from '../tables/external-ids.ts'
import type { Link } from '../tables/links.ts'
import { isOf } from '../tables/numbers.ts'
import { type LightRow, loadLiveCount, syncColumns } from '../tables/records.ts'
import { liveRows, liveRowsIn } from './order.ts'
import { loadRows } from './pages.ts'
import { planList } from './plan.ts'
import { compileAll } from './predicates.ts'

/** Live records by their ids, as the sync form shows them. */
export async function loadSyncRows(scope: Reader, resource: Resource, ids: readonly string[]): Promise<LightRow[]> {
  if (ids.length === 0) return []
  return sql<LightRow>`select ${syncColumns(scope, resource)} from records r0
    where ${isOf(scope, resource.type, 'r0')} and r0.deleted_at is null and r0.id in (${sql.join(ids)})
    order by r0.id`.all(scope.db)
}

/** Those of the ids whose records meet a filter. */
export async function findMatching(
  scope: Reader,
  resource: Resource,
  { filter, ids }: { filter: Condition; ids: readonly string[] },
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const found = sql<string>`select r0.id from records r0
    where ${isOf(scope, resource.type, 'r0')} and r0.deleted_at is null and r0.id in (${sql.join(ids)})
    and ${compileAll(scope, [filter])}`
  return new Set(await found.column(scope.db))
}

/** The links of records: to live records, and to members as they are stored, also those who have left. */
export async function loadSyncLinks(scope: Reader, resource: Resource, ids: readonly string[]): Promise<Link[]> {
  const lists = Object.values(resource.links)
  if (lists.length === 0 || ids.length === 0) return []
  const readable = lists.map(({ to, relation }) =>
    to === 'users'
      ? sql`l.relation = ${sql.lit(relation)}`
      : sql`(l.relation = ${sql.lit(relation)} and exists (select 1 from records t
          where ${isOf(scope, to, 't')} and t.id = l.to_id and t.deleted_at is null))`,
  )
  return sql<Link>`select l.from_id, l.relation, l.to_id from links l
    where l.workspace_id = ${scope.workspace.id} and l.from_id in (${sql.join(ids)})
    and (${sql.join(readable, sql` or `)}) order by l.from_id, l.relation, l.to_id`.all(scope.db)
}

/** How many records a filter that no index answers is checked on in one statement, so that each of them is short. */
const WINDOW = 20_000

/** The live records after an id, in the order of their ids, as the sync form shows them. */
export async function loadIdPage(
  scope: Reader,
  resource: Resource,
  page: { filter?: Condition | undefined; after: string; limit: number; window?: number },
): Promise<{ rows: LightRow[]; until: string | undefined }> {
  const { filter, after, limit, window = WINDOW } = page
  // Without a filter the plan does not depend on the number of records.
  const live = filter ? await loadLiveCount(scope, resource.type) : 0
  const plan = await planList(scope, resource, { filter, sort: [], live })
  const end = filter && !plan.narrow ? await findIdAt(scope, resource, { after, offset: window - 1 }) : undefined
  const from = end === undefined ? plan.from : sql`${plan.from} and r0.id <= ${end}`
  const columns = syncColumns(scope, resource)
  const part = { sort: [], limit, offset: 0, place: { keys: [], id: after }, columns }
  const rows = await loadRows(scope, resource, { ...part, plan: { ...plan, from } })
  return { rows, until: rows.length === limit ? rows.at(-1)?.id : end }
}

/** The id so many records behind the next one after an id, deleted ones included: only an index is read. */
function findIdAt(scope: Reader, resource: Resource, { after, offset }: { after: string; offset: number }) {
  return sql<string>`select r0.id from records r0
    where ${isOf(scope, resource.type, 'r0')} and r0.id > ${after}
    order by r0.id limit 1 offset ${sql.unseen(offset)}`.value(scope.db)
}

/** A record that may be among the best matches. */
type Candidate = { id: string; name: string; created_at: string }

/**
 * Live records that have all parts, those whose name begins with a folded text, and those with an external id. If there
 * are very many, some of them: no search reads all records of a workspace.
 */
export async function findCandidates(
  scope: Reader,
  resource: Resource,
  { name, parts, external_id }: { name: string; parts: SearchParts; external_id: string | undefined },
): Promise<Candidate[]> {
  const columns = sql`r0.id, r0.name, r0.created_at`
  const named = sql<Candidate>`select ${columns} ${liveRows(scope, resource.type, 0)}
    and ${startsWith(sql`r0.name_key`, name)} order by r0.name_key, r0.id limit ${sql.lit(SOME)}`
  if (parts.length === 0) return named.all(scope.db)
  const place = { workspace: scope.workspace.number, resource: resource.number }
  const found = scope.engine.search.someContaining(place, documentField(resource), parts)
  const holding = sql`select ${columns} ${liveRowsIn(scope, resource.type, sql`(${found})`)}`
  const selects = [named, holding]
  if (external_id !== undefined) {
    const holders = holdersOf(scope, resource, external_id)
    selects.push(sql`select ${columns} ${liveRowsIn(scope, resource.type, sql`(${holders})`)}`)
  }
  const candidates = await sql<Candidate>`${sql.union(selects)}`.all(scope.db)
  return [...new Map(candidates.map((candidate) => [candidate.id, candidate])).values()]
}

/** Sorts after every text that may follow a prefix. */
const LAST = '\u{10ffff}'

function startsWith(column: Sql<unknown>, prefix: string): Sql<unknown> {
  return sql`${column} >= ${prefix} and ${column} < ${prefix + LAST}`
}
