import { firstIdAt } from '@kith/contract/id'
import { HOUR_MS, REMOVAL_HOURS } from '@kith/contract/limits'
import type { Db, Engine, Tenant } from '../engines/engine.ts'
import { type SqlBool, sql } from '../engines/sql.ts'
import type { FileRow } from './record-parts.ts'
import { pageOf, workspaceTable } from './table.ts'

const ofRecord = ({ workspace }: Tenant, recordId: string) =>
  sql`from files f where f.workspace_id = ${workspace.id} and f.record_id = ${recordId} and f.deleted_at is null`

/** One page of the files of a record, the latest first, and their total. */
export function loadFiles(
  scope: Tenant,
  { record_id, limit, offset }: { record_id: string; limit: number; offset: number },
): Promise<{ rows: FileRow[]; total: number }> {
  return pageOf(scope.db, 'f', { from: ofRecord(scope, record_id), limit, offset })
}

export const contentTable = workspaceTable<Content & { size: number; claim: string; removing: string | null }>(
  'file_contents',
)

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
