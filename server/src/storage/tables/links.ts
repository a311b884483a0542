import type { RelatedType, ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import type { Db, Engine } from '../engines/engine.ts'
import type { Column } from '../engines/stored-table.ts'

const columns: readonly Column[] = ['workspace_id', 'from_type', 'from_id', 'relation', 'to_id'].map((name) => ({
  name,
  type: 'text',
}))

export type Link = { from_id: string; relation: string; to_id: string }

export function insertLinks(
  inside: { engine: Engine; db: Db; workspace: { id: string } },
  fromType: ResourceName,
  links: readonly Link[],
): Promise<void> {
  const rows = links.map((link) => [inside.workspace.id, fromType, link.from_id, link.relation, link.to_id])
  return inside.engine.insertRows(inside.db, 'links', columns, rows)
}

export async function removeLinks(inside: Scope, fromId: string, relation: string, toIds: readonly string[]) {
  if (toIds.length === 0) return
  await inside.db.query
    .deleteFrom('links')
    .where('workspace_id', '=', inside.workspace.id)
    .where('from_id', '=', fromId)
    .where('relation', '=', relation)
    .where('to_id', 'in', toIds)
    .execute()
}

/** The ids to which a record is linked, also those of deleted records and former members. */
export async function findLinked(scope: Scope, fromId: string, relation: string): Promise<string[]> {
  const rows = await scope.db.query
    .selectFrom('links')
    .select('to_id')
    .where('workspace_id', '=', scope.workspace.id)
    .where('from_id', '=', fromId)
    .where('relation', '=', relation)
    .execute()
  return rows.map((row) => row.to_id)
}

/** Those of the ids that are members or live records of the workspace, in one statement. */
export async function findExisting(scope: Scope, to: RelatedType, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  if (to === 'users') {
    const rows = await scope.db.query
      .selectFrom('members')
      .select('user_id')
      .where('workspace_id', '=', scope.workspace.id)
      .where('user_id', 'in', ids)
      .execute()
    return new Set(rows.map((row) => row.user_id))
  }
  return idsIn(await existing(scope, to, ids).execute())
}

function existing(scope: Scope, to: ResourceName, ids: readonly string[]) {
  return scope.db.query
    .selectFrom(to)
    .select('id')
    .where('workspace_id', '=', scope.workspace.id)
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
}

function idsIn(rows: readonly { id: string }[]): Set<string> {
  return new Set(rows.map((row) => row.id))
}
