import type { ResourceName } from '@kith/contract/resource'
import { resourceNames } from '@kith/contract/resource'
import type { Db, Engine } from '../engines/engine.ts'
import { fixed } from '../engines/fixed.ts'
import { sql } from '../engines/sql.ts'
import { purgeRecords } from './purge.ts'

const TOGETHER = 500

/** Behind every moment. */
const AT_ANY_TIME = '~'

/** No slug begins so, and all of them stand before it in the order of bytes. */
const CLOSED = '~'

/**
 * Shuts a workspace for everybody at once: nobody is a member any more, no token works, and its slug is free. What is in it
 * is wiped by the upkeep.
 */
export async function closeWorkspace(inside: Db, id: string, at: string): Promise<void> {
  for (const table of ['members', 'invitations', 'views'] as const) {
    await inside.query.deleteFrom(table).where('workspace_id', '=', id).execute()
  }
  for (const table of ['tokens', 'connections'] as const) {
    await inside.query.updateTable(table).set({ revoked_at: at }).where('workspace_id', '=', id).execute()
  }
  await inside.query
    .updateTable('workspaces')
    .set({ slug: `${CLOSED}${id}` })
    .where('id', '=', id)
    .execute()
}

/** Whether a slug belongs to a workspace that was deleted and is not wiped yet. */
export function isClosedSlug(slug: string): boolean {
  return slug.startsWith(CLOSED)
}

/** The workspaces that were deleted and are not wiped yet. */
export async function loadClosedWorkspaces(db: Db): Promise<string[]> {
  const rows = await db.query.selectFrom('workspaces').select('id').where('slug', '>=', CLOSED).orderBy('id').execute()
  return rows.map((row) => row.id)
}

/** Deletes some records of a closed workspace for good; false when there are none left. */
export async function purgeSome(engine: Engine, workspaceId: string): Promise<boolean> {
  for (const resource of resourceNames) {
    const rows = (await some.get(resource)?.(engine.db, [workspaceId])) ?? []
    if (rows.length === 0) continue
    const ids = rows.map((row) => row.id)
    // What is purged has been deleted before.
    await sql`update ${sql.table(resource)} set deleted_at = created_at
      where workspace_id = ${workspaceId} and id in (${sql.join(ids)})`.execute(engine.single)
    await purgeRecords(engine, resource, { workspaceId, ids, before: AT_ANY_TIME })
    return true
  }
  return false
}

const some = new Map<ResourceName, ReturnType<typeof fixed<{ id: string }>>>(
  resourceNames.map((table) => [
    table,
    fixed<{ id: string }>(`select id from ${table} where workspace_id = ? order by id limit ${TOGETHER}`),
  ]),
)

/** In the order in which they may go. */
const tables = [
  ...['merge_moves', 'merge_losers', 'merges', 'links', 'field_values', 'key_moves', 'idempotency_keys', 'connections'],
  ...['tokens', 'views', 'invitations', 'members', 'domain_joins', 'record_counts', 'audit_log', 'custom_fields'],
] as const

/** Wipes what is left of a closed workspace once its records are gone, and the workspace itself. */
export async function purgeWorkspace({ single, search }: Engine, workspaceId: string): Promise<void> {
  await search.sweep(single, workspaceId, [])
  for (const table of tables) {
    await sql`delete from ${sql.table(table)} where workspace_id = ${workspaceId}`.execute(single)
  }
  await sql`delete from workspaces where id = ${workspaceId}`.execute(single)
}
