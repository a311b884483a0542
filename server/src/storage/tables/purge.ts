import { resourceNames } from '@kith/contract/resource'
import type { Db, Engine } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { derivedTables, type StoredTable } from '../engines/stored-table.ts'
import { type LockedTable, lockRows } from './lock-rows.ts'

/** How many records are purged in one batch, so that no writer waits long. */
const BATCH = 500

type Doomed = { workspace_id: string; id: string }

/** A record can be purged a while after it was deleted. Of a merge only what its undo needs is purged. */
function isOld(table: LockedTable, before: string): Sql<unknown> {
  return table === 'merges'
    ? sql`created_at <= ${before} and changes <> ''`
    : sql`deleted_at is not null and deleted_at <= ${before}`
}

/** Some of the records of a resource, or of the merges, in all workspaces, that can be purged. */
export function findDoomed(db: Db, table: LockedTable, before: string): Promise<Doomed[]> {
  return sql<Doomed>`select workspace_id, id from ${sql.table(table)} where ${isOld(table, before)}
    order by workspace_id, id limit ${sql.lit(BATCH)}`.all(db)
}

/** The rows that are purged with a record or a merge: their table, and the column with its id. */
const partsOfRecord = [
  ['links', 'from_id'],
  ['links', 'to_id'],
  ['field_values', 'record_id'],
  ['external_ids', 'record_id'],
] as const
const partsOfMerge = [['merge_moves', 'merge_id']] as const

/** The ids of a workspace to purge, if they are from before a time. */
type Purging = { workspaceId: string; ids: readonly string[]; before: string }

/**
 * Purges records or merges with everything that belongs to them. A record that was restored meanwhile stays, and a
 * merge that is being undone is waited for. The row itself comes last, so that an interrupted purge is found again.
 */
export function purge(engine: Engine, table: LockedTable, { workspaceId, ids, before }: Purging): Promise<void> {
  const ours = sql`workspace_id = ${workspaceId}`
  return purgingIn(engine, workspaceId, async (db) => {
    await lockRows({ engine, db, workspace: { id: workspaceId } }, [{ table, ids, mode: 'alone' }])
    const found = await sql<string>`select id from ${sql.table(table)}
      where ${ours} and id in (${sql.join(ids)}) and ${isOld(table, before)}`.column(db)
    if (found.length === 0) return
    const all = sql.join(found)
    for (const [part, column] of table === 'merges' ? partsOfMerge : partsOfRecord) {
      await sql`delete from ${sql.table(part)} where ${ours} and ${sql.ref(column)} in (${all})`.run(db)
    }
    if (table !== 'merges') await engine.search.removeAll(db, { workspaceId, table }, found)
    const which = sql`where ${ours} and id in (${all}) and ${isOld(table, before)}`
    // Who was merged into whom is kept as long as the workspace exists: old ids lead to the winner.
    if (table === 'merges') await sql`update merges set changes = '' ${which}`.run(db)
    else await sql`delete from ${sql.table(table)} ${which}`.run(db)
  })
}

/**
 * One transaction where writes are concurrent. Otherwise each statement alone: this may run in a thread that cannot
 * begin a transaction, and a restore uses the same clock and refuses what is being purged.
 */
async function purgingIn(engine: Engine, workspaceId: string, work: (db: Db) => Promise<void>): Promise<void> {
  if (!engine.concurrentWrites) return work(engine.single)
  await engine.transaction(async (inside) => {
    await engine.holdFields(inside, workspaceId)
    await work(inside)
  })
}

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

/** Deletes all rows of these tables and of everything derived from them. */
export async function clearTables(engine: Engine, inside: Db, tables: readonly StoredTable[]): Promise<void> {
  for (const name of [...engine.search.tables, ...(await namesInReverse(engine, inside, tables))]) {
    await sql`delete from ${sql.table(name)}`.run(inside)
  }
}

/**
 * Derived tables first, then every table before those that it references: the order in which rows can be deleted. A
 * database, or the version of a backup, may lack some of the derived tables.
 */
async function namesInReverse(
  { loadNames }: Pick<Engine, 'loadNames'>,
  db: Db,
  tables: readonly StoredTable[],
): Promise<string[]> {
  const known = await loadNames(db)
  return [...derivedTables.filter((name) => known.has(name)), ...tables.toReversed().map((table) => table.name)]
}

/** The first of these tables that has a row. */
export async function findFilled(inside: Db, tables: readonly StoredTable[]): Promise<string | undefined> {
  for (const { name } of tables) {
    if (await sql`select 1 from ${sql.table(name)} limit 1`.exists(inside)) return name
  }
  return undefined
}

/** Tables whose rows expire. */
const expiring = [
  ...['sessions', 'verifications', 'password_links', 'email_links'],
  ...['oauth_access_tokens', 'oauth_refresh_tokens'],
]

export async function sweepExpired(engine: Engine, now: string): Promise<void> {
  for (const table of expiring) await sweep(engine, table, sql`expires_at <= ${now}`)
}

/** Deletes sessions that were last used before a time. */
export function sweepIdleSessions(engine: Engine, before: string): Promise<void> {
  return sweep(engine, 'sessions', sql`updated_at <= ${before}`)
}

/** Deletes codes that were used before a time. */
export function sweepUsedCodes(engine: Engine, before: string): Promise<void> {
  return sweep(engine, 'oauth_codes', sql`used_at < ${before}`)
}

/** Deletes clients that registered before a time and have no connection. */
export function sweepClients(engine: Engine, before: string): Promise<void> {
  const unused = sql`not exists (select 1 from connections c where c.client_id = oauth_clients.client_id)`
  return sweep(engine, 'oauth_clients', sql`created_at < ${before} and ${unused}`)
}

type Pruned = { table: string; key: string; which: Sql<unknown> }

/**
 * Deletes some rows of a workspace that meet a condition; false when there are none left. `key` tells the rows of a
 * workspace apart. Reads first, so that nothing writes when there are none.
 */
export async function prune(engine: Engine, workspaceId: string, { table, key, which }: Pruned): Promise<boolean> {
  const ours = sql`from ${sql.table(table)} where workspace_id = ${workspaceId}`
  const some = (limit: number) => sql`select ${sql.raw(key)} ${ours} and ${which} limit ${sql.lit(limit)}`
  if (!(await some(1).exists(engine.db))) return false
  const deleted = await sql`delete ${ours} and (${sql.raw(key)}) in (${some(BATCH)})`.run(engine.single)
  return deleted === BATCH
}

/** Deletes the rows that meet a condition. Reads first, so that nothing writes when there are none. */
async function sweep(engine: Engine, table: string, condition: Sql<unknown>): Promise<void> {
  const matching = sql`from ${sql.table(table)} where ${condition}`
  if (await sql`select 1 as found ${matching} limit 1`.exists(engine.db))
    await sql`delete ${matching}`.run(engine.single)
}
