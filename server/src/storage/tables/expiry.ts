import { generalSchema } from '@kith/contract/registry'
import { OWN_FROM, type Resource, type ResourceName } from '@kith/contract/resource'
import type { Db, Engine, NumberedTenant, RecordTenant } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { derivedTables, type StoredTable } from '../engines/stored-table.ts'
import type { IndexedRow } from './field-values.ts'
import { lockRows } from './links.ts'
import { isNumbered, isOf } from './numbers.ts'

/** How many records expire in one batch, so that no writer waits long. */
const BATCH = 500

/** Rows that have expired, of one workspace. */
type Expired = { workspace: { id: string; number: number }; ids: string[] }

const expiredRecords = (before: string) => sql`r.deleted_at is not null and r.deleted_at <= ${before}`

/** The numbers of the resources of all workspaces. */
export async function numbersInUse(db: Db): Promise<number[]> {
  const builtIn = [...generalSchema.values()].map(({ number }) => number)
  const own = await sql<number>`select distinct number from resources
    where number >= ${sql.lit(OWN_FROM)} order by number`.column(db)
  return [...builtIn, ...own]
}

/** Some records of the resources with a number that were deleted before a time, in all workspaces. */
export async function findExpiredRecords(db: Db, resource: number, before: string): Promise<Expired[]> {
  const rows = await sql<ExpiredRow>`select w.id as workspace_id, w.number as workspace, r.id from workspaces w
    cross join records r where r.workspace = w.number and r.resource = ${sql.lit(resource)}
    and ${expiredRecords(before)} order by w.id, r.id limit ${sql.lit(BATCH)}`.all(db)
  return byWorkspace(rows)
}

type ExpiredRow = { workspace_id: string; workspace: number; id: string }

function byWorkspace(rows: readonly ExpiredRow[]): Expired[] {
  return [...Map.groupBy(rows, (row) => row.workspace_id)].map(([id, own]) => {
    return { workspace: { id, number: own[0]?.workspace ?? 0 }, ids: own.map((row) => row.id).sort() }
  })
}

const expiredMerges = (before: string) => sql`m.created_at <= ${before} and m.changes <> ''`

/** Some merges from before a time that can still be undone, in all workspaces. */
export async function findExpiredMerges(db: Db, before: string): Promise<Expired[]> {
  const rows = await sql<ExpiredRow>`select m.workspace_id, w.number as workspace, m.id from merges m
    join workspaces w on w.id = m.workspace_id where ${expiredMerges(before)}
    order by m.workspace_id, m.id limit ${sql.lit(BATCH)}`.all(db)
  return byWorkspace(rows)
}

/**
 * The rows that are deleted with a record: their table, and the column with its id. References and links of other
 * records to it stay, unread, until those are deleted: without them, the records would cease to match filters of feeds,
 * and nothing would tell the readers.
 */
const partsOfRecord = [
  ['links', 'from_id'],
  ['external_ids', 'record_id'],
  ['change_values', 'record_id'],
  ['files', 'record_id'],
  ['follows', 'record_id'],
  ['reminders', 'record_id'],
  ['task_repeats', 'record_id'],
  ['notifications', 'record_id'],
  ['comments', 'record_id'],
] as const

/**
 * Expires records with everything that belongs to them. One that was restored meanwhile stays. The row itself
 * comes last, so that an interrupted deletion is found again.
 */
export function deleteForGood(
  engine: Engine,
  resource: number,
  { workspace, ids, before }: Expired & { before: string },
): Promise<void> {
  return inExpiry(engine, workspace.id, async (db) => {
    const inside = { engine, db, workspace }
    await lockRows(inside, [{ of: resource, ids, mode: 'alone' }])
    const found = await sql<{ id: string; number: number }>`select r.id, r.number from records r
      where ${isNumbered(inside, resource, 'r')} and r.id in (${sql.join(ids)}) and ${expiredRecords(before)}`.all(db)
    if (found.length === 0) return
    const numbers = found.map(({ number }) => number)
    const all = sql.join(found.map(({ id }) => id))
    await sql`delete from change_values where workspace_id = ${workspace.id} and record_id in (
      select c.id from comments c where c.workspace_id = ${workspace.id} and c.record_id in (${all}))`.run(db)
    for (const [part, column] of partsOfRecord) {
      await sql`delete from ${sql.table(part)}
        where workspace_id = ${workspace.id} and ${sql.ref(column)} in (${all})`.run(db)
    }
    for (const part of ['field_values', 'key_moves']) {
      await sql`delete from ${sql.table(part)}
        where workspace = ${workspace.number} and record in (${sql.join(numbers)})`.run(db)
    }
    await engine.search.removeAll(db, workspace.number, numbers)
    await sql`delete from records
      where workspace = ${workspace.number} and number in (${sql.join(numbers)}) and deleted_at <= ${before}`.run(db)
  })
}

/**
 * Deletes what is needed to undo merges. Waits for a merge that is being undone. Who was merged into whom is kept as
 * long as the workspace exists: old ids lead to the winner.
 */
export function closeMerges(engine: Engine, { workspace, ids, before }: Expired & { before: string }): Promise<void> {
  return inExpiry(engine, workspace.id, async (db) => {
    await lockRows({ engine, db, workspace }, [{ of: 'merges', ids, mode: 'alone' }])
    const found = await sql<string>`select m.id from merges m where m.workspace_id = ${workspace.id}
      and m.id in (${sql.join(ids)}) and ${expiredMerges(before)}`.column(db)
    if (found.length === 0) return
    const all = sql.join(found)
    await sql`delete from merge_moves where workspace_id = ${workspace.id} and merge_id in (${all})`.run(db)
    await sql`update merges set changes = '' where workspace_id = ${workspace.id} and id in (${all})`.run(db)
  })
}

/**
 * One transaction where writes are concurrent. Otherwise each statement alone: this may run in a thread that cannot
 * begin a transaction, and a restore uses the same clock and refuses a record that is being deleted.
 */
async function inExpiry(engine: Engine, workspaceId: string, work: (db: Db) => Promise<void>): Promise<void> {
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
  for (const table of ['invitations', 'views', 'reports', 'webhook_blocked', 'webhooks', 'members']) {
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

/** The closed workspaces that still have rows. */
export function loadClosedWorkspaces(db: Db): Promise<NumberedTenant['workspace'][]> {
  return sql<NumberedTenant['workspace']>`select id, number from workspaces where slug >= ${CLOSED} order by id`.all(db)
}

/** Expires some records of a resource of a workspace, live or not; false when there are none left. */
export async function deleteSomeRecords(
  engine: Engine,
  workspace: NumberedTenant['workspace'],
  resource: number,
): Promise<boolean> {
  const ids = await sql<string>`select r.id from records r
    where ${isNumbered({ workspace }, resource, 'r')} order by r.id limit ${sql.lit(BATCH)}`.column(engine.db)
  if (ids.length === 0) return false
  // Only deleted records can expire.
  await sql`update records set deleted_at = created_at
    where workspace = ${workspace.number} and resource = ${sql.lit(resource)}
    and id in (${sql.join(ids)})`.run(engine.single)
  await deleteForGood(engine, resource, { workspace, ids, before: AT_ANY_TIME })
  return true
}

/**
 * Deletes the rest of a closed workspace once its records are gone, and the workspace itself. The database tells which
 * tables have a `workspace_id`, so that a new table needs no code here.
 */
export async function deleteClosedWorkspace(
  engine: Engine,
  { id, number }: NumberedTenant['workspace'],
): Promise<void> {
  const { db, single, search, loadTables } = engine
  await search.keepOnly(single, number, [])
  const tables = (await loadTables(db)).filter(({ columns }) => columns.some(({ name }) => name === 'workspace_id'))
  for (const name of await namesInReverse(engine, db, tables)) {
    const ours = byNumber.includes(name) ? sql`workspace = ${number}` : sql`workspace_id = ${id}`
    await sql`delete from ${sql.table(name)} where ${ours}`.run(single)
  }
  await sql`delete from workspaces where id = ${id}`.run(single)
}

/** Derived tables that refer to the workspace by its number. */
const byNumber = ['field_values', 'key_moves']

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

/** A record that can be restored, with everything its part of the index is derived from. */
export type DeletedRow = IndexedRow & { updated_at: string }

/** Records by their ids, live or deleted, in the order of their ids. */
export async function loadAnyRows(
  scope: RecordTenant,
  resource: Resource,
  ids: readonly string[],
): Promise<DeletedRow[]> {
  if (ids.length === 0) return []
  const query = sql<DeletedRow>`
    select r.number, r.id, r.created_at, r.updated_at, r.deleted_at, r.name as label, r.name_key, r.duplicate_key,
    r.custom_fields from records r where ${isOf(scope, resource.type, 'r')} and r.id in (${sql.join(ids)}) order by r.id`
  return query.all(scope.db)
}

/** Makes deleted records live again. */
export async function markReturned(
  inside: RecordTenant,
  { type }: Resource,
  { ids, updated_at }: { ids: readonly string[]; updated_at: string },
): Promise<void> {
  await sql`update records set deleted_at = null, deleted_by = null, updated_at = ${updated_at}
    where ${isOf(inside, type, 'records')} and id in (${sql.join(ids)})`.run(inside.db)
}

/** One page of the records that were deleted since a time, latest first, and their total. */
export async function loadTrash(
  scope: RecordTenant,
  { resource, since, limit, offset }: { resource?: ResourceName; since: string; limit: number; offset: number },
) {
  const names = resource ? [resource] : [...scope.schema.keys()]
  const first = (name: ResourceName) => sql`
    select ${sql.lit(name)} as resource, r.id, r.name, r.deleted_at, r.deleted_by
    ${inTrash(scope, name, since)} order by r.deleted_at desc, r.id desc limit ${sql.unseen(limit + offset)}`
  const all = sql.union(names.map(first))
  const page = sql<{
    resource: ResourceName
    id: string
    name: string
    deleted_at: string
    deleted_by: string | null
    deleted_by_name: string | null
    merge_id: string | null
    merged_into: string | null
  }>`
    select t.*, u.name as deleted_by_name, w.winner_id as merged_into from (
      select f.*, (
        select max(m.id) from merge_losers l join merges m on m.workspace_id = l.workspace_id and m.id = l.merge_id
        where l.workspace_id = ${scope.workspace.id} and l.record_id = f.id and m.undone_at is null) as merge_id
      from (
        select * from (${all}) found order by deleted_at desc, id desc limit ${sql.unseen(limit)} offset ${offset}) f) t
    left join merges w on w.workspace_id = ${scope.workspace.id} and w.id = t.merge_id
    left join users u on u.id = t.deleted_by order by t.deleted_at desc, t.id desc`
  const counts = sql.join(
    names.map((name) => sql`(select count(*) ${inTrash(scope, name, since)})`),
    sql` + `,
  )
  return { rows: await page.all(scope.db), total: await sql`select ${counts} as total`.count(scope.db) }
}

function inTrash(scope: RecordTenant, name: ResourceName, since: string): Sql<unknown> {
  return sql`from records r
    where ${isOf(scope, name, 'r')} and r.deleted_at is not null and r.deleted_at > ${since}`
}
