import { resourceNames } from '@kith/contract/resource'
import type { Db, Engine } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import { namesInReverse } from './clear-tables.ts'
import { purge } from './purge.ts'

const BATCH = 500

/** Sorts after every time. */
const AT_ANY_TIME = '~'

/** The first character of the slug of a closed workspace. No other slug begins with it, and all sort before it. */
const CLOSED = '~'

/**
 * Closes a workspace at once: it has no members, no token works, and its slug is free. The upkeep deletes the rest.
 */
export async function closeWorkspace(inside: Db, id: string, at: string): Promise<void> {
  for (const table of ['members', 'invitations', 'views', 'webhook_blocked', 'webhooks']) {
    await sql`delete from ${sql.table(table)} where workspace_id = ${id}`.run(inside)
  }
  for (const table of ['tokens', 'connections']) {
    await sql`update ${sql.table(table)} set revoked_at = ${at} where workspace_id = ${id}`.run(inside)
  }
  await sql`update workspaces set slug = ${`${CLOSED}${id}`} where id = ${id}`.run(inside)
}

/** Whether a slug belongs to a closed workspace. */
export function isClosedSlug(slug: string): boolean {
  return slug.startsWith(CLOSED)
}

/** The workspaces that are closed and not purged yet. */
export function loadClosedWorkspaces(db: Db): Promise<string[]> {
  return sql<string>`select id from workspaces where slug >= ${CLOSED} order by id`.column(db)
}

/** Purges some records of a closed workspace; false when there are none left. */
export async function purgeSome(engine: Engine, workspaceId: string): Promise<boolean> {
  for (const resource of resourceNames) {
    const ids = await sql<string>`select id from ${sql.table(resource)}
      where workspace_id = ${workspaceId} order by id limit ${sql.lit(BATCH)}`.column(engine.db)
    if (ids.length === 0) continue
    // Only deleted records can be purged.
    await sql`update ${sql.table(resource)} set deleted_at = created_at
      where workspace_id = ${workspaceId} and id in (${sql.join(ids)})`.run(engine.single)
    await purge(engine, resource, { workspaceId, ids, before: AT_ANY_TIME })
    return true
  }
  return false
}

/**
 * Purges the rest of a closed workspace once its records are gone, and the workspace itself. The database tells which
 * tables have a `workspace_id`, so that a new table needs no code here.
 */
export async function purgeWorkspace(engine: Engine, workspaceId: string): Promise<void> {
  const { db, single, search, loadTables } = engine
  await search.sweep(single, workspaceId, [])
  const tables = (await loadTables(db)).filter(({ columns }) => columns.some(({ name }) => name === 'workspace_id'))
  for (const name of await namesInReverse(engine, db, tables)) {
    await sql`delete from ${sql.table(name)} where workspace_id = ${workspaceId}`.run(single)
  }
  await sql`delete from workspaces where id = ${workspaceId}`.run(single)
}
