import type { RecordPart } from '@kith/contract/changes/change-kind'
import type { NumberedTenant, RecordTenant, Tenant } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { workspaceTable } from './table.ts'

/** What belongs to a record and is a row of its own: a file or a comment. */
type PartRow = {
  workspace_id: string
  id: string
  /** The number of the resource of its record. */
  resource: number
  record_id: string
  created_at: string
  updated_at: string
  creator_id: string | null
  deleted_at: string | null
}

export type FileRow = PartRow & { name: string; content_type: string; size: number; sha256: string }

export type CommentRow = PartRow & { body: string; reply_to: string | null }

export type PartRows = { files: FileRow; comments: CommentRow }

export const partTables = {
  files: workspaceTable<FileRow>('files'),
  comments: workspaceTable<CommentRow>('comments'),
}

/** Those of live records, deleted ones included. */
function reachable({ workspace }: NumberedTenant, part: RecordPart): Sql<unknown> {
  return sql`from ${sql.table(part)} p join records r on r.workspace = ${workspace.number} and r.resource = p.resource
    and r.id = p.record_id and r.deleted_at is null where p.workspace_id = ${workspace.id}`
}

/** A part of a live record, which may be deleted itself. */
export function findPart<P extends RecordPart>(
  scope: NumberedTenant,
  part: P,
  id: string,
): Promise<PartRows[P] | undefined> {
  return sql<PartRows[P]>`select p.* ${reachable(scope, part)} and p.id = ${id}`.one(scope.db)
}

/** Those of the resources that are not archived. */
function shown({ schema }: RecordTenant): Sql<unknown> {
  const numbers = [...schema.values()].map(({ number }) => sql.lit(number))
  return sql`p.deleted_at is null and p.resource in (${sql.join(numbers)})`
}

/** Parts that can be read, by their ids. */
export async function loadLiveParts<P extends RecordPart>(
  scope: RecordTenant,
  part: P,
  ids: readonly string[],
): Promise<PartRows[P][]> {
  if (ids.length === 0) return []
  return sql<PartRows[P]>`select p.* ${reachable(scope, part)} and ${shown(scope)} and p.id in (${sql.join(ids)})
    order by p.id`.all(scope.db)
}

/** The next parts that can be read, by id. */
export function loadPartsAfter<P extends RecordPart>(
  scope: RecordTenant,
  part: P,
  { after, limit }: { after: string; limit: number },
): Promise<PartRows[P][]> {
  return sql<PartRows[P]>`select p.* ${reachable(scope, part)} and ${shown(scope)} and p.id > ${after}
    order by p.id limit ${sql.unseen(limit)}`.all(scope.db)
}

/** The latest files of a record before an id. */
export function loadLatestFiles(
  { db, workspace }: Tenant,
  { record_id, before, limit }: { record_id: string; before: string | undefined; limit: number },
): Promise<FileRow[]> {
  const earlier = before === undefined ? sql`` : sql`and f.id < ${before}`
  return sql<FileRow>`select f.* from files f where f.workspace_id = ${workspace.id}
    and f.record_id = ${record_id} and f.deleted_at is null ${earlier} order by f.id desc
    limit ${sql.unseen(limit)}`.all(db)
}

/** Moves parts to another record. Only those that are not deleted get a new time. */
export async function moveParts(
  { db, workspace }: Tenant,
  part: RecordPart,
  { ids, to, at }: { ids: readonly string[]; to: string; at: string },
): Promise<void> {
  const time = sql`case when deleted_at is null then ${at} else updated_at end`
  await sql`update ${sql.table(part)} set record_id = ${to}, updated_at = ${time}
    where workspace_id = ${workspace.id} and id ${sql.among(ids)}`.run(db)
}

/**
 * The parts that a merge moved to its winner and that are still there, with the records that they come from. Replies
 * that were written since belong to the record of their comment.
 */
export function loadMovedParts<P extends RecordPart>(
  { db, workspace }: Tenant,
  part: P,
  { merge_id, winner_id }: { merge_id: string; winner_id: string },
): Promise<(PartRows[P] & { from_id: string })[]> {
  const moved = part === 'comments' ? sql`(p.id, p.reply_to)` : sql`(p.id)`
  return sql<PartRows[P] & { from_id: string }>`select distinct p.*, m.from_id from ${sql.table(part)} p
    join merge_moves m on m.workspace_id = ${workspace.id} and m.merge_id = ${merge_id} and m.resource = ${part}
      and m.relation = 'record_id' and m.record_id in ${moved}
    where p.workspace_id = ${workspace.id} and p.record_id = ${winner_id} order by p.id`.all(db)
}

/** Changes columns of a part. */
export async function replacePart(
  { db, workspace }: Tenant,
  part: RecordPart,
  { id, changes }: { id: string; changes: Readonly<Record<string, string | null>> },
): Promise<void> {
  await sql`update ${sql.table(part)} set ${sql.set(changes)}
    where workspace_id = ${workspace.id} and id = ${id}`.run(db)
}

/** Who has commented on a record. */
export function loadCommenters({ db, workspace }: Tenant, recordId: string): Promise<string[]> {
  return sql<string>`select distinct c.creator_id from comments c where c.workspace_id = ${workspace.id}
    and c.record_id = ${recordId} and c.deleted_at is null and c.creator_id is not null`.column(db)
}

/** The latest comments on a record, the latest first. */
export function loadLatestComments(
  { db, workspace }: Tenant,
  { record_id, limit }: { record_id: string; limit: number },
): Promise<CommentRow[]> {
  return sql<CommentRow>`select c.* from comments c where c.workspace_id = ${workspace.id}
    and c.record_id = ${record_id} and c.deleted_at is null order by c.id desc limit ${sql.unseen(limit)}`.all(db)
}

/** The next comments of a record after an id, in their order. */
export function loadComments(
  { db, workspace }: Tenant,
  { record_id, after = '', limit }: { record_id: string; after: string | undefined; limit: number },
): Promise<CommentRow[]> {
  return sql<CommentRow>`select c.* from comments c where c.workspace_id = ${workspace.id}
    and c.record_id = ${record_id} and c.deleted_at is null and c.id > ${after}
    order by c.id limit ${sql.unseen(limit)}`.all(db)
}

/**
 * The comments with which the threads of a record begin, the latest before an id first. A thread whose comment is
 * deleted begins with the first reply to it. `thread` is the id of the comment that one thread is about.
 */
export function loadThreadStarts(
  { db, workspace }: Tenant,
  asked: { record_id: string; before: string | undefined; thread: string | undefined; limit: number },
): Promise<CommentRow[]> {
  const { record_id, before, thread, limit } = asked
  const earlier = before === undefined ? sql`` : sql`and c.id < ${before}`
  const one = thread === undefined ? sql`` : sql`and (c.id = ${thread} or c.reply_to = ${thread})`
  const live = sql`from comments o where o.workspace_id = c.workspace_id and o.deleted_at is null`
  return sql<CommentRow>`select c.* from comments c where c.workspace_id = ${workspace.id}
    and c.record_id = ${record_id} and c.deleted_at is null ${earlier} ${one}
    and (c.reply_to is null or (select o.id ${live} and o.id = c.reply_to) is null
      and (select o.id ${live} and o.reply_to = c.reply_to and o.id < c.id limit 1) is null)
    order by c.id desc limit ${sql.unseen(limit)}`.all(db)
}

/** The latest replies to each of these comments, the oldest first. */
export async function loadReplies(
  { db, workspace }: Tenant,
  { to, each }: { to: readonly string[]; each: number },
): Promise<CommentRow[]> {
  if (to.length === 0) return []
  return sql<CommentRow>`select r.* from (
      select c.*, row_number() over (partition by c.reply_to order by c.id desc) as latest from comments c
      where c.workspace_id = ${workspace.id} and c.deleted_at is null and c.reply_to ${sql.among(to)}
    ) r where r.latest <= ${each} order by r.id`.all(db)
}
