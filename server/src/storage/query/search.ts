import type { Resource } from '@kith/contract/resource'
import type { SearchParts } from '@kith/contract/search-words'
import type { Scope } from '../../scope/scope.ts'
import { documentField, SOME } from '../engines/search-fields.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { holdersOf } from '../tables/external-ids.ts'
import { liveRows, liveRowsIn } from './fragments.ts'

/** A record that may be among the best matches. */
type Candidate = { id: string; name: string; created_at: string }

type Sought = { name: string; parts: SearchParts; external_id: string | undefined }

/**
 * Live records that have all parts, those whose name begins with a folded text, and those with an external id. If there
 * are very many, some of them: no search reads all records of a workspace.
 */
export async function findCandidates(
  scope: Scope,
  resource: Resource,
  { name, parts, external_id }: Sought,
): Promise<Candidate[]> {
  const columns = sql`r0.id, ${sql.ref(`r0.${resource.label}`)} as name, r0.created_at`
  const named = sql<Candidate>`select ${columns} ${liveRows(scope, resource.type, 0)}
    and ${startsWith(sql`r0.name_key`, name)} order by r0.name_key, r0.id limit ${sql.lit(SOME)}`
  if (parts.length === 0) return named.all(scope.db)
  const place = { workspaceId: scope.workspace.id, table: resource.type }
  const found = scope.engine.search.someContaining(place, documentField(resource.type), parts)
  const holding = sql`select ${columns} ${liveRowsIn(scope, resource.type, sql`(${found})`)}`
  const selects = [named, holding]
  if (external_id !== undefined) {
    const holders = holdersOf(scope, resource.type, external_id)
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
