import type { FeedResource, StoredKind } from '@kith/contract/changes/change-kind'
import type { Actor, Scope } from '../../scope/scope.ts'
import type { Db, Engine } from '../engines/engine.ts'
import { type Sql, type SqlBool, sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'

/** One thing that happened to one record, definition or member. */
export type ChangeRow = {
  /** That of the audit entry, if there is one. */
  id: string
  kind: StoredKind
  resource: FeedResource
  record_id: string
  at: string
  /** The names of what changed, as a JSON list. Null for kinds other than `updated`. */
  changed: string | null
  merged_into: string | null
  /** The last external ids of a record that is gone, as JSON. */
  external_ids: string | null
  source: string
  actor_id: string | null
  token_id: string | null
}

const names = [
  ...['id', 'kind', 'resource', 'record_id', 'at', 'changed', 'merged_into', 'external_ids'],
  ...['source', 'actor_id', 'token_id'],
] as const satisfies readonly (keyof ChangeRow)[]

const into = { table: 'changes', columns: columnsOf(['workspace_id', ...names]), numbered: true } as const

/** Adds changes to the feed, in their order. */
export async function insertChanges(
  { engine, db }: { engine: Engine; db: Db },
  workspaceId: string,
  changes: readonly ChangeRow[],
): Promise<void> {
  const rows = changes.map((change) => [workspaceId, ...names.map((name) => change[name])])
  if (db.append) db.append(into, rows)
  else await engine.insertRows(db, into, rows)
}

/** The state of a workspace's feed. */
export type FeedHead = {
  /** The highest number; 0 before the first change. */
  sequence: number
  /** Another one after a backup was restored. */
  epoch: string
  /** The highest number that was deleted. */
  pruned: number
  /** Changes before this time are not in the feed; null if it has all of them. */
  complete_from: string | null
  /** The version of the field definitions in the same snapshot. */
  fields_version: number
}

export async function loadFeedHead({ engine, db, workspace }: Scope): Promise<FeedHead> {
  const row = await sql<{ [key in keyof FeedHead]: FeedHead[key] | null } & { last: number | null }>`
    select h.sequence, h.epoch, h.pruned, h.complete_from, (
      select max(c.sequence) from ${sql.raw(engine.changeNumbers)} c where c.workspace_id = ${workspace.id}) as last, (
      select w.fields_version from workspaces w where w.id = ${workspace.id}) as fields_version
    from (select 1 as one) o left join change_heads h on h.workspace_id = ${workspace.id}`.one(db)
  return {
    sequence: Math.max(row?.sequence ?? 0, row?.last ?? 0),
    epoch: row?.epoch ?? '',
    pruned: row?.pruned ?? 0,
    complete_from: row?.complete_from ?? null,
    fields_version: row?.fields_version ?? 0,
  }
}

/** Which changes a reader asks for. */
type FeedPart = {
  head: FeedHead
  after: number
  limit: number
  /** Undefined for all. */
  resources?: readonly FeedResource[] | undefined
  kinds?: readonly StoredKind[] | undefined
  /** Whether those of the reader are left out. */
  excludes_own: boolean
}

/** The next changes as JSON. */
export type EntryTexts = {
  /** Thin entries with commas between them. The external ids in each are between two tabs. */
  text: string
  count: number
  /** The number of the last; 0 if there is none. */
  last: number
  /** Whether any record of the workspace has external ids. */
  has_external_ids: SqlBool
  /** Up to which number they were looked for. */
  until: number
}

/** How many changes are read to find those that a reader asks for, in one statement. */
const WINDOW = 20_000

/**
 * The next changes for a reader. The database writes the text: reading the values and writing it here takes three times
 * as long. The rows of the inner select are joined in its order; stating the order again would sort the texts.
 */
export async function loadEntries({ engine, db, workspace, actor }: Scope, part: FeedPart): Promise<EntryTexts> {
  const { head, after, limit, resources, kinds, excludes_own } = part
  const conditions = [
    ...(resources ? [sql`and c.resource in (${sql.join(resources)})`] : []),
    ...(kinds ? [sql`and c.kind in (${sql.join(kinds)})`] : []),
    ...(excludes_own ? [sql`and not ${isOwn(actor)}`] : []),
  ]
  const isAny = conditions.length === 0
  // The numbers after a position that is still valid have no gaps.
  const end = Math.min(after + (isAny ? limit : WINDOW), head.sequence)
  const wanted = (from: number) => sql`from ${sql.raw(engine.numberedChanges)} where c.workspace_id = ${workspace.id}
    and c.sequence > ${from} and c.sequence <= ${end} ${sql.join(conditions, sql` `)}`
  const found = await sql<Omit<EntryTexts, 'until'>>`
    select coalesce(string_agg(e.entry, ','), '') as text, count(*) as count, coalesce(max(e.sequence), 0) as last,
      exists (select 1 from external_ids x where x.workspace_id = ${workspace.id}) as has_external_ids
    from (select c.sequence, ${entryText(actor)} as entry ${wanted(after)}
      order by c.sequence limit ${sql.unseen(limit)}) e`.one(db)
  if (!found) throw new Error('A statement without groups returned no row.')
  const { count, last } = found
  const isLast = isAny || count < limit || !(await sql`select 1 ${wanted(last)} limit 1`.exists(db))
  return { ...found, until: isLast ? end : last }
}

/** A thin entry. The texts of its columns need no escapes. */
function entryText(actor: Actor): Sql<unknown> {
  return sql`concat('{"id":"', c.id, '","type":"changes","attributes":{"sequence":', c.sequence, ',"kind":"', c.kind,
    '","resource":"', c.resource, '","record_id":"', c.record_id, '","at":"', c.at, '","changed":',
    coalesce(c.changed, '[]'), ',"merged_into":', ${idText('merged_into')}, ',"external_ids":\t',
    coalesce(c.external_ids, '{}'), '\t,"origin":{"source":"', c.source, '","actor_id":', ${idText('actor_id')},
    ',"token_id":', ${idText('token_id')}, ',"own":', case when ${isOwn(actor)} then 'true' else 'false' end, '}}}')`
}

function idText(column: string): Sql<unknown> {
  return sql.raw(`coalesce('"' || c.${column} || '"', 'null')`)
}

/** Whether the reader made a change. */
function isOwn({ token_id, user_id }: Actor): Sql<unknown> {
  if (token_id !== null) return sql`(coalesce(c.token_id, '') = ${token_id})`
  // In the application there is no token: what the user did there.
  return sql`(c.token_id is null and c.source = 'web' and coalesce(c.actor_id, '') = ${user_id})`
}

/** The first change after a number, with its time. */
export function findNextChange(
  { engine, db, workspace }: Scope,
  after: number,
): Promise<{ sequence: number; id: string } | undefined> {
  return sql<{ sequence: number; id: string }>`select c.sequence, c.id from ${sql.raw(engine.numberedChanges)}
    where c.workspace_id = ${workspace.id} and c.sequence > ${after} order by c.sequence limit 1`.one(db)
}

/**
 * The first of some changes that happened at a time or later. Without `materialized`, PostgreSQL may look for the time
 * among all changes of the workspace.
 */
export function findChangeSince(
  { engine, db, workspace }: Scope,
  { after, until }: { after: number; until: number },
  since: string,
): Promise<number | undefined> {
  return sql<number>`with part as materialized (
      select c.sequence, c.at from ${sql.raw(engine.numberedChanges)}
      where c.workspace_id = ${workspace.id} and c.sequence > ${after} and c.sequence <= ${until})
    select sequence from part where at >= ${since} order by sequence limit 1`.value(db)
}
