import type { RelatedType, ResourceName } from '@kith/contract/resource'
import type { Scope } from '../scope.ts'
import type { Column, Db, Engine } from './engine.ts'

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

/**
 * Likewise, and none of them is merged into another before this transaction ends: a merge moves what refers to its losers, and must see what is
 * being written. Whoever comes during the merge waits for its end, and finds the losers gone.
 */
export async function holdExisting(inside: Scope, to: RelatedType, ids: readonly string[]): Promise<Set<string>> {
  if (to === 'users' || ids.length === 0 || inside.engine.dialect === 'sqlite') return findExisting(inside, to, ids)
  const held = existing(inside, to, ids).orderBy('id').forKeyShare()
  const { shared } = inside.db
  const found = idsIn(await (shared ? held.skipLocked() : held).execute())
  // Either there is no such record, or someone is merging it: whoever waits for that is told.
  if (shared && found.size < new Set(ids).size) shared.leave()
  return found
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
