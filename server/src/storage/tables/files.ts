import { firstIdAt } from '@kith/contract/id'
import { HOUR_MS, REMOVAL_HOURS } from '@kith/contract/limits'
import type { Db, Engine, NumberedTenant, RecordTenant, Tenant } from '../engines/engine.ts'
import { type Sql, type SqlBool, sql } from '../engines/sql.ts'

export type FileRow = {
  workspace_id: string
  id: string
  /** The number of the resource of its record. */
  resource: number
  record_id: string
  name: string
  content_type: string
  size: number
  sha256: string
  created_at: string
  updated_at: string
  creator_id: string | null
  deleted_at: string | null
}

export async function insertFile(inside: Tenant, file: FileRow): Promise<void> {
  await sql`insert into files ${sql.values(file)}`.run(inside.db)
}

/** The files of live records, deleted ones included. */
function reachable({ workspace }: NumberedTenant): Sql<unknown> {
  return sql`from files f join records r on r.workspace = ${workspace.number} and r.resource = f.resource
    and r.id = f.record_id and r.deleted_at is null where f.workspace_id = ${workspace.id}`
}

/** A file of a live record, which may be deleted itself. */
export function findFile(scope: NumberedTenant, id: string): Promise<FileRow | undefined> {
  return sql<FileRow>`select f.* ${reachable(scope)} and f.id = ${id}`.one(scope.db)
}

/** Any file, also of a deleted record. */
export function findAnyFile({ db, workspace }: Tenant, id: string): Promise<FileRow | undefined> {
  return sql<FileRow>`select f.* from files f where f.workspace_id = ${workspace.id} and f.id = ${id}`.one(db)
}

/** Those of the resources that are not archived. */
function shown({ schema }: RecordTenant): Sql<unknown> {
  const numbers = [...schema.values()].map(({ number }) => sql.lit(number))
  return sql`f.deleted_at is null and f.resource in (${sql.join(numbers)})`
}

/** Files that can be read, by their ids. */
export async function loadLiveFiles(scope: RecordTenant, ids: readonly string[]): Promise<FileRow[]> {
  if (ids.length === 0) return []
  return sql<FileRow>`select f.* ${reachable(scope)} and ${shown(scope)} and f.id in (${sql.join(ids)})
    order by f.id`.all(scope.db)
}

/** The next files that can be read, by id. */
export function loadFilesAfter(
  scope: RecordTenant,
  { after, limit }: { after: string; limit: number },
): Promise<FileRow[]> {
  return sql<FileRow>`select f.* ${reachable(scope)} and ${shown(scope)} and f.id > ${after}
    order by f.id limit ${sql.unseen(limit)}`.all(scope.db)
}

/** The files of some records, live or deleted, which may be deleted themselves. */
export async function loadFilesOf({ db, workspace }: Tenant, recordIds: readonly string[]): Promise<FileRow[]> {
  if (recordIds.length === 0) return []
  return sql<FileRow>`select f.* from files f where f.workspace_id = ${workspace.id}
    and f.record_id ${sql.among(recordIds)} order by f.id`.all(db)
}

/** The files of these records have changed with them. */
export async function touchFilesOf(
  { db, workspace }: Tenant,
  { record_ids, at }: { record_ids: readonly string[]; at: string },
): Promise<void> {
  await sql`update files set updated_at = ${at} where workspace_id = ${workspace.id}
    and record_id ${sql.among(record_ids)} and deleted_at is null`.run(db)
}

type Moved = { by: string; at: string }

const timeOf = (at: string) => sql`case when deleted_at is null then ${at} else updated_at end`

/** Moves all files of some records to another one, also deleted ones. Only the others get a new time. */
export async function moveFiles(
  { db, workspace }: Tenant,
  recordIds: readonly string[],
  { by, at }: Moved,
): Promise<void> {
  await sql`update files set record_id = ${by}, updated_at = ${timeOf(at)}
    where workspace_id = ${workspace.id} and record_id ${sql.among(recordIds)}`.run(db)
}

const movedBy = ({ workspace }: Tenant, mergeId: string) => sql`from merge_moves m
  where m.workspace_id = ${workspace.id} and m.merge_id = ${mergeId} and m.resource = 'files'`

/** The files that a merge moved to its winner and that are still there, with the records that they come from. */
export function loadMovedFiles(
  inside: Tenant,
  { merge_id, winner_id }: { merge_id: string; winner_id: string },
): Promise<(FileRow & { from_id: string })[]> {
  return sql<FileRow & { from_id: string }>`select f.*, m.from_id from files f join (
      select m.record_id, m.from_id ${movedBy(inside, merge_id)}) m on m.record_id = f.id
    where f.workspace_id = ${inside.workspace.id} and f.record_id = ${winner_id} order by f.id`.all(inside.db)
}

/** Moves them back. */
export async function moveFilesBack(
  inside: Tenant,
  { merge_id, winner_id, at }: { merge_id: string; winner_id: string; at: string },
): Promise<void> {
  const from = sql`(select m.from_id ${movedBy(inside, merge_id)} and m.record_id = files.id)`
  const moved = sql`select m.record_id ${movedBy(inside, merge_id)}`
  await sql`update files set record_id = ${from}, updated_at = ${timeOf(at)}
    where workspace_id = ${inside.workspace.id} and record_id = ${winner_id} and id in (${moved})`.run(inside.db)
}

const ofRecord = ({ workspace }: Tenant, recordId: string) =>
  sql`from files f where f.workspace_id = ${workspace.id} and f.record_id = ${recordId} and f.deleted_at is null`

/** One page of the files of a record, the latest first, and their total. */
export async function loadFiles(
  scope: Tenant,
  { record_id, limit, offset }: { record_id: string; limit: number; offset: number },
): Promise<{ rows: FileRow[]; total: number }> {
  const page = sql<FileRow>`select f.* ${ofRecord(scope, record_id)} order by f.id desc
    limit ${sql.unseen(limit)} offset ${sql.unseen(offset)}`
  return { rows: await page.all(scope.db), total: await countFiles(scope, record_id) }
}

/** The latest files of a record before an id. */
export function loadLatestFiles(
  scope: Tenant,
  { record_id, before, limit }: { record_id: string; before: string | undefined; limit: number },
): Promise<FileRow[]> {
  const earlier = before === undefined ? sql`` : sql`and f.id < ${before}`
  return sql<FileRow>`select f.* ${ofRecord(scope, record_id)} ${earlier} order by f.id desc
    limit ${sql.unseen(limit)}`.all(scope.db)
}

export function countFiles(scope: Tenant, recordId: string): Promise<number> {
  return sql`select count(*) as total ${ofRecord(scope, recordId)}`.count(scope.db)
}

export async function replaceFile(
  inside: Tenant,
  id: string,
  changes: Partial<Pick<FileRow, 'name' | 'updated_at' | 'deleted_at'>>,
): Promise<void> {
  await sql`update files set ${sql.set(changes)}
    where workspace_id = ${inside.workspace.id} and id = ${id}`.run(inside.db)
}

/** A stored content, under its hash. */
type Content = { workspace_id: string; sha256: string }

const named = ({ workspace_id, sha256 }: Content) => sql`workspace_id = ${workspace_id} and sha256 = ${sha256}`

/** Before a content is stored. False while an earlier content with this hash is being removed. */
export async function claimContent(
  engine: Engine,
  content: Content & { size: number; claim: string },
): Promise<boolean> {
  const claimed = await sql`insert into file_contents ${sql.values(content)}
    on conflict (workspace_id, sha256) do update set claim = excluded.claim
    where file_contents.removing is null`.run(engine.single)
  return claimed === 1
}

/** Before a row uses a stored content. From here on nobody removes it. False if it is being removed already. */
export async function useContent(inside: Tenant, sha256: string, claim: string): Promise<boolean> {
  const name = named({ workspace_id: inside.workspace.id, sha256 })
  return (await sql`update file_contents set claim = ${claim} where ${name} and removing is null`.run(inside.db)) === 1
}

const isUnused = sql<SqlBool>`not exists (select 1 from files f
  where f.workspace_id = file_contents.workspace_id and f.sha256 = file_contents.sha256)`

/** How many bytes the files of a workspace have: equal ones count once. */
export function loadUsedBytes({ db, workspace }: Tenant): Promise<number> {
  return sql`select coalesce(sum(size), 0) as total from file_contents
    where workspace_id = ${workspace.id} and not ${isUnused}`.count(db)
}

export function isContentUsed({ db, workspace }: Tenant, sha256: string): Promise<boolean> {
  return sql`select 1 from files where workspace_id = ${workspace.id} and sha256 = ${sha256} limit 1`.exists(db)
}

const BATCH = 500

/** The next contents after a hash that no file uses, and that were claimed before an id. */
export function findUnused(
  db: Db,
  workspaceId: string,
  { claimed_before, after }: { claimed_before: string; after: string },
): Promise<(Content & { claim: string })[]> {
  return sql<Content & { claim: string }>`select workspace_id, sha256, claim from file_contents
    where workspace_id = ${workspaceId} and sha256 > ${after} and claim < ${claimed_before} and ${isUnused}
    order by sha256 limit ${sql.lit(BATCH)}`.all(db)
}

/** A content that some file has. */
export type UsedContent = Content & { size: number }

/** The next contents after a hash that files have, deleted ones included. */
export function loadUsedContents(db: Db, workspaceId: string, after: string): Promise<UsedContent[]> {
  return sql<UsedContent>`select workspace_id, sha256, size from file_contents
    where workspace_id = ${workspaceId} and sha256 > ${after} and not ${isUnused}
    order by sha256 limit ${sql.lit(BATCH)}`.all(db)
}

/** Whether a workspace has contents, used or not. */
export function hasContents(db: Db, workspaceId: string): Promise<boolean> {
  return sql`select 1 from file_contents where workspace_id = ${workspaceId} limit 1`.exists(db)
}

/** Marks a content that is about to be removed. False if it is in use, or another process removes it. */
export async function markRemoving(
  engine: Engine,
  { claim, ...content }: Content & { claim: string },
  { id, at }: { id: string; at: Date },
): Promise<boolean> {
  // The mark of a process that is gone.
  const abandoned = firstIdAt(at.getTime() - REMOVAL_HOURS * HOUR_MS)
  const marked = await sql`update file_contents set removing = ${id} where ${named(content)} and claim = ${claim}
    and (removing is null or removing < ${abandoned}) and ${isUnused}`.run(engine.single)
  return marked === 1
}

/** After a content was removed. */
export async function deleteContent(engine: Engine, content: Content, removing: string): Promise<void> {
  await sql`delete from file_contents where ${named(content)} and removing = ${removing}`.run(engine.single)
}
