import type { RelatedType, ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import type { Db, Engine } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'

const into = { table: 'links', columns: columnsOf(['workspace_id', 'from_type', 'from_id', 'relation', 'to_id']) }

export type Link = { from_id: string; relation: string; to_id: string }

export function insertLinks(
  inside: { engine: Engine; db: Db; workspace: { id: string } },
  fromType: ResourceName,
  links: readonly Link[],
): Promise<void> {
  const rows = links.map((link) => [inside.workspace.id, fromType, link.from_id, link.relation, link.to_id])
  return inside.engine.insertRows(inside.db, into, rows)
}

type Removing = { relation: string; to_ids: readonly string[] }

export async function removeLinks(inside: Scope, fromId: string, { relation, to_ids }: Removing): Promise<void> {
  if (to_ids.length === 0) return
  await sql`delete from links where workspace_id = ${inside.workspace.id} and from_id = ${fromId}
    and relation = ${relation} and to_id in (${sql.join(to_ids)})`.run(inside.db)
}

/** The ids to which a record is linked, including those of deleted records and former members. */
export function findLinked(scope: Scope, fromId: string, relation: string): Promise<string[]> {
  return sql<string>`select to_id from links
    where workspace_id = ${scope.workspace.id} and from_id = ${fromId} and relation = ${relation}`.column(scope.db)
}

/** Those of the ids that are members or live records of the workspace, in one statement. */
export async function findExisting(scope: Scope, to: RelatedType, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { db, workspace } = scope
  const found =
    to === 'users'
      ? sql<string>`select user_id from members
          where workspace_id = ${workspace.id} and user_id in (${sql.join(ids)})`
      : sql<string>`select id from ${sql.table(to)}
          where workspace_id = ${workspace.id} and id in (${sql.join(ids)}) and deleted_at is null`
  return new Set(await found.column(db))
}
