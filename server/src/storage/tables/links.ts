import type { RelatedType, ResourceName } from '@kith/contract/resource'
import type { Scope, Writing } from '../../scope/scope.ts'
import { sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'

const into = { table: 'links', columns: columnsOf(['workspace_id', 'from_type', 'from_id', 'relation', 'to_id']) }

export type Link = { from_id: string; relation: string; to_id: string }

export function insertLinks(inside: Writing, fromType: ResourceName, links: readonly Link[]): Promise<void> {
  const rows = links.map((link) => [inside.workspace.id, fromType, link.from_id, link.relation, link.to_id])
  return inside.engine.insertRows(inside.db, into, rows)
}

/** Removes links of any number of records. */
export async function removeLinks(inside: Scope, links: readonly Link[]): Promise<void> {
  if (links.length === 0) return
  const named = links.map(({ from_id, relation, to_id }) => `${from_id} ${relation} ${to_id}`)
  await sql`delete from links where workspace_id = ${inside.workspace.id}
    and from_id ${sql.among([...new Set(links.map((link) => link.from_id))])}
    and from_id || ' ' || relation || ' ' || to_id ${sql.among(named)}`.run(inside.db)
}

/** The links of records in some relations, including those to deleted records and former members. */
export async function loadLinked(
  scope: Scope,
  fromIds: readonly string[],
  relations: readonly string[],
): Promise<Link[]> {
  if (fromIds.length === 0 || relations.length === 0) return []
  return sql<Link>`select from_id, relation, to_id from links where workspace_id = ${scope.workspace.id}
    and from_id ${sql.among(fromIds)} and relation ${sql.among(relations)}`.all(scope.db)
}

type LinkedPart = {
  to_id: string
  from_type: ResourceName
  relation: string
  before: string | undefined
  limit: number
}

/** The latest live records that are linked to a record, read along the index. */
export function loadLatestLinked({ db, workspace }: Scope, part: LinkedPart): Promise<string[]> {
  const { to_id, from_type, relation, before, limit } = part
  return sql<string>`select l.from_id from links l
    join ${sql.table(from_type)} r on r.workspace_id = l.workspace_id and r.id = l.from_id and r.deleted_at is null
    where l.workspace_id = ${workspace.id} and l.to_id = ${to_id} and l.from_type = ${from_type}
    and l.relation = ${relation} ${before === undefined ? sql`` : sql`and l.from_id < ${before}`}
    order by l.from_id desc limit ${sql.unseen(limit)}`.column(db)
}

/** Those of the ids that are members or live records of the workspace, in one statement. */
export async function findExisting(scope: Scope, to: RelatedType, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { db, workspace } = scope
  const found =
    to === 'users'
      ? sql<string>`select user_id from members
          where workspace_id = ${workspace.id} and user_id ${sql.among(ids)}`
      : sql<string>`select id from ${sql.table(to)}
          where workspace_id = ${workspace.id} and id ${sql.among(ids)} and deleted_at is null`
  return new Set(await found.column(db))
}
