import type { FeedResource, StoredKind } from '@kith/contract/changes/change-kind'
import { firstIdAt, ID_LENGTH } from '@kith/contract/id'
import type { Db, Engine, Origin, Tenant } from '../engines/engine.ts'
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
  /** The names of the changed attributes, as a JSON list. Null for kinds other than `updated`. */
  changed: string | null
  merged_into: string | null
  /** The last external ids of a record that is gone, as JSON. */
  external_ids: string | null
  source: string
  actor_id: string | null
  token_id: string | null
}

const into = {
  table: 'changes',
  columns: columnsOf(['workspace_id', 'id', 'kind', 'resource', 'entry', 'at']),
  numbered: true,
} as const

/** Adds changes to the feed, in their order. */
export async function insertChanges({ engine, db, workspace }: Tenant, changes: readonly ChangeRow[]): Promise<void> {
  const rows = changes.map((change) => {
    const { id, kind, resource, at } = change
    return [workspace.id, id, kind, resource, entryText(change), at]
  })
  if (db.append) db.append(into, rows)
  else await engine.insertRows(db, into, rows)
}

/**
 * A thin entry from its kind on, as readers get it. It is stored like this: to join it from columns takes a reader
 * three times as long. Of these texts only the external ids may need escapes, and they are JSON already.
 */
function entryText(change: ChangeRow): string {
  const { kind, resource, record_id, at, changed, merged_into, external_ids, source, actor_id, token_id } = change
  return (
    `,"kind":"${kind}","resource":"${resource}","record_id":"${record_id}","at":"${at}","changed":${changed ?? '[]'},` +
    `"merged_into":${idText(merged_into)},"external_ids":${external_ids ?? '{}'},` +
    `"origin":{"source":"${source}","actor_id":${idText(actor_id)},"token_id":${idText(token_id)},"own":false}}}`
  )
}

function idText(id: string | null): string {
  return id === null ? 'null' : `"${id}"`
}

/** How the entry of a change ends that the reader made. */
function ownEnd({ token_id, user_id }: Origin): string {
  if (token_id !== null) return `"token_id":"${token_id}","own":false}}}`
  // The application has no token, so its changes are found by user.
  return `"source":"web","actor_id":"${user_id}","token_id":null,"own":false}}}`
}

/** The state of a workspace's feed. */
export type FeedHead = {
  /** The highest number; 0 before the first change. */
  sequence: number
  /** Another one after a backup was restored. */
  epoch: string
  /** The highest number that was deleted. */
  expired_until: number
  /** Changes before this time are not in the feed; null if it has all of them. */
  complete_from: string | null
  /** The version of the field definitions in the same snapshot. */
  fields_version: number
}

export async function loadFeedHead({ db, workspace }: Tenant): Promise<FeedHead> {
  const row = await sql<{ [key in keyof FeedHead]: FeedHead[key] | null } & { last: number | null }>`
    select h.sequence, h.epoch, h.expired_until, h.complete_from, (
      select max(c.sequence) from changes c where c.workspace_id = ${workspace.id}) as last, (
      select w.fields_version from workspaces w where w.id = ${workspace.id}) as fields_version
    from (select 1 as one) o left join change_heads h on h.workspace_id = ${workspace.id}`.one(db)
  return {
    sequence: Math.max(row?.sequence ?? 0, row?.last ?? 0),
    epoch: row?.epoch ?? '',
    expired_until: row?.expired_until ?? 0,
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
  /** What is left out of all. */
  except?: readonly FeedResource[]
  /** Resources with codes that earlier ones had, and when they began: their entries before that are left out. */
  since?: readonly { code: string; at: string }[]
  kinds?: readonly StoredKind[] | undefined
  record_ids?: readonly string[] | undefined
  /** Whether those of the reader are left out. */
  excludes_own?: boolean
  /** Whether sample data is left out. */
  excludes_sample?: boolean
}

/** `own`: only those of the reader. `actor_id`: only those of a user. `until`: the highest number. */
type LatestPart = { own: boolean; actor_id: string | undefined; until: number }

/** The next changes as JSON. */
export type EntryTexts = {
  /** Thin entries with commas between them. */
  text: string
  count: number
  /** The number of the last; 0 if there is none. */
  last: number
  /** Whether any record of the workspace has external ids. */
  has_external_ids: SqlBool
  /** Up to which number they were looked for. */
  until: number
}

const BEFORE_RECORD_ID = ',"kind":"","resource":"","record_id":"'.length

/** The id of the record in the text of an entry, which follows the kind and the resource. */
const RECORD_ID = sql.raw(
  `substr(c.entry, length(c.kind) + length(c.resource) + ${BEFORE_RECORD_ID + 1}, ${ID_LENGTH})`,
)

/** A thin entry, of a change that the reader did not make. */
const ENTRY = sql.raw(`'{"id":"' || c.id || '","type":"changes","attributes":{"sequence":' || c.sequence || c.entry`)

/** How many changes are read to find those that a reader asks for, in one statement. */
const WINDOW = 20_000

/**
 * The next changes for a reader. The database joins the texts: reading them one by one takes twice as long. The rows of
 * the inner select are joined in its order; stating the order again would sort the texts.
 */
export async function loadEntries(
  { db, workspace, actor }: Tenant & { actor: Origin },
  part: FeedPart,
): Promise<EntryTexts> {
  const { head, after, limit } = part
  const conditions = conditionsOf(part, actor)
  const isAny = conditions.length === 0
  // The numbers after a position that is still valid have no gaps.
  const end = Math.min(after + (isAny ? limit : WINDOW), head.sequence)
  const wanted = (from: number) => sql`from changes c where c.workspace_id = ${workspace.id}
    and c.sequence > ${from} and c.sequence <= ${end} ${sql.join(conditions, sql` `)}`
  const found = await sql<Omit<EntryTexts, 'until'>>`
    select coalesce(string_agg(e.entry, ','), '') as text, count(*) as count, coalesce(max(e.sequence), 0) as last,
      exists (select 1 from external_ids x where x.workspace_id = ${workspace.id}) as has_external_ids
    from (select c.sequence, ${ENTRY} as entry ${wanted(after)}
      order by c.sequence limit ${sql.unseen(limit)}) e`.one(db)
  if (!found) throw new Error('A statement without groups returned no row.')
  const { count, last } = found
  const isLast = isAny || count < limit || !(await sql`select 1 ${wanted(last)} limit 1`.exists(db))
  return { ...found, text: markedOwn(found.text, actor), until: isLast ? end : last }
}

/** Says which changes the reader made. */
function markedOwn(text: string, actor: Origin): string {
  const own = ownEnd(actor)
  return text.replaceAll(own, own.replace('"own":false', '"own":true'))
}

function conditionsOf(part: Omit<FeedPart, 'head' | 'after' | 'limit'>, actor: Origin): Sql<unknown>[] {
  const { resources, except = [], since = [], kinds, record_ids, excludes_own, excludes_sample } = part
  return [
    ...(resources ? [sql`and c.resource in (${sql.join(resources)})`] : []),
    ...(except.length > 0 ? [sql`and c.resource not in (${sql.join(except)})`] : []),
    // The id of an entry begins with its time.
    ...since.map(({ code, at }) => sql`and (c.resource <> ${code} or c.id >= ${firstIdAt(Date.parse(at))})`),
    ...(kinds ? [sql`and c.kind in (${sql.join(kinds)})`] : []),
    ...(record_ids ? [sql`and ${RECORD_ID} in (${sql.join(record_ids)})`] : []),
    ...(excludes_own ? [sql`and not ${hasText(`%${ownEnd(actor)}`)}`] : []),
    ...(excludes_sample ? [sql`and not ${hasText('%"origin":{"source":"sample",%')}`] : []),
  ]
}

/** Texts of users are escaped in an entry, so none of them looks like its own quotes. */
function hasText(pattern: string): Sql<unknown> {
  return sql`(c.entry like ${pattern.replaceAll('_', '^_')} escape '^')`
}

/** The latest changes that a reader asks for, down to one number and up to another. */
export async function loadLatestEntries(
  { db, workspace, actor }: Tenant & { actor: Origin },
  { own, actor_id, after, until, limit, ...part }: Omit<FeedPart, 'head'> & LatestPart,
): Promise<Pick<EntryTexts, 'text' | 'until'>> {
  const conditions = [
    ...conditionsOf(part, actor),
    ...(own ? [sql`and ${hasText(`%${ownEnd(actor)}`)}`] : []),
    ...(actor_id === undefined ? [] : [sql`and ${hasText(`%"actor_id":"${actor_id}","token_id":%`)}`]),
  ]
  const from = Math.max(after, until - WINDOW)
  const found = await sql<Pick<EntryTexts, 'text' | 'count' | 'last'>>`
    select coalesce(string_agg(e.entry, ','), '') as text, count(*) as count, coalesce(min(e.sequence), 0) as last
    from (select c.sequence, ${ENTRY} as entry from changes c where c.workspace_id = ${workspace.id}
      and c.sequence > ${from} and c.sequence <= ${until} ${sql.join(conditions, sql` `)}
      order by c.sequence desc limit ${sql.unseen(limit)}) e`.one(db)
  if (!found) throw new Error('A statement without groups returned no row.')
  return { text: markedOwn(found.text, actor), until: found.count < limit ? from : found.last - 1 }
}

/** Where a change is in the feed. `latest_at` is the highest time of a change up to this one. */
export type FeedPlace = { sequence: number; id: string; latest_at: string }

/** The first change after a number. */
export function findNextChange({ db, workspace }: Tenant, after: number): Promise<FeedPlace | undefined> {
  return sql<FeedPlace>`select c.sequence, c.id, c.latest_at from changes c
    where c.workspace_id = ${workspace.id} and c.sequence > ${after} order by c.sequence limit 1`.one(db)
}

/**
 * The one of some changes that has an id. Without `materialized`, PostgreSQL may look for it among all changes of the
 * workspace.
 */
export function findChange(
  { db, workspace }: Tenant,
  id: string,
  { after, until }: { after: number; until: number },
): Promise<number | undefined> {
  return sql<number>`with part as materialized (
      select c.sequence, c.id from changes c
      where c.workspace_id = ${workspace.id} and c.sequence > ${after} and c.sequence <= ${until})
    select sequence from part where id = ${id}`.value(db)
}

/** Looks up changes that come after one with a later time. Without `materialized`, all later changes may be read. */
const late = ({ workspace }: Tenant, times: Sql<unknown>) => sql`with late as materialized (
  select c.sequence, c.id from changes c where c.workspace_id = ${workspace.id} and c.at < c.latest_at and ${times})`

/** The last of the changes from one time to another that come after a change with a later time. */
export function findLastLate(
  inside: Tenant,
  { since, until }: { since: string; until: string },
): Promise<number | null | undefined> {
  return sql<number | null>`${late(inside, sql`c.at >= ${since} and c.at <= ${until}`)}
    select max(sequence) from late`.value(inside.db)
}

/** The change with an id and a time, if it comes after a change with a later time. */
export function findLateChange(inside: Tenant, id: string, at: string): Promise<number | undefined> {
  return sql<number>`${late(inside, sql`c.at = ${at}`)} select sequence from late where id = ${id}`.value(inside.db)
}

/** Some changes by their numbers, as thin entries in JSON with commas between them. */
export async function loadEntriesAt({ db, workspace }: Tenant, sequences: readonly number[]): Promise<string> {
  if (sequences.length === 0) return ''
  const texts = await sql<string>`select ${ENTRY} as entry from changes c where c.workspace_id = ${workspace.id}
    and c.sequence in (${sql.join(sequences)}) order by c.sequence`.column(db)
  return texts.join(',')
}

/** How many entries one statement deletes, so that no writer waits long. */
const BATCH = 500

/**
 * Deletes some of the oldest entries of a workspace, as long as they were written before a time; false when none are
 * left. Readers are told first that they are gone.
 */
export async function deleteExpiredChanges(engine: Engine, workspaceId: string, before: string): Promise<boolean> {
  const last = await findLastOld(engine, workspaceId, before)
  if (last === undefined) return false
  await sql`insert into change_heads (workspace_id, sequence, expired_until, complete_from)
    values (${workspaceId}, ${last}, ${last}, ${before})
    on conflict (workspace_id) do update set
      complete_from = case when change_heads.complete_from > excluded.complete_from then change_heads.complete_from
        else excluded.complete_from end,
      sequence = case when change_heads.sequence < excluded.sequence then excluded.sequence
        else change_heads.sequence end,
      expired_until = case when change_heads.expired_until < excluded.expired_until then excluded.expired_until
        else change_heads.expired_until end
    `.run(engine.single)
  await sql`delete from changes where workspace_id = ${workspaceId} and sequence <= ${last}`.run(engine.single)
  return true
}

/**
 * The last of the oldest entries before the first that is kept. Their ids begin with the time of the write, which
 * counts: the records of sample data changed long before. Times may be out of order by a little.
 */
async function findLastOld(engine: Engine, workspaceId: string, before: string): Promise<number | undefined> {
  const oldest = await sql<{ sequence: number; id: string }>`select c.sequence, c.id
    from changes c where c.workspace_id = ${workspaceId}
    order by c.sequence limit ${sql.lit(BATCH)}`.all(engine.db)
  const first = firstIdAt(Date.parse(before))
  const kept = oldest.findIndex(({ id }) => id >= first)
  return (kept === -1 ? oldest.at(-1) : oldest[kept - 1])?.sequence
}

/** Begins the feeds of all workspaces again, after a backup was restored: no earlier cursor is valid. */
export async function restartFeeds(inside: Db, { epoch, at }: { epoch: string; at: Date }): Promise<void> {
  await sql`delete from change_heads`.run(inside)
  await sql`insert into change_heads (workspace_id, sequence, expired_until, epoch, complete_from)
    select id, ${at.getTime()}, ${at.getTime()}, ${epoch}, ${at.toISOString()} from workspaces`.run(inside)
}
