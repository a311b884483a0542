import type { FeedResource, StoredKind } from '@kith/contract/changes/change-kind'
import type { Scope } from '../../scope/scope.ts'
import type { Db, Engine } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
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

export type NumberedChange = ChangeRow & { sequence: number }

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
      select c.sequence from ${sql.raw(engine.numberedChanges)} where c.workspace_id = ${workspace.id}
      order by c.sequence desc limit 1) as last, (
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

type Part = {
  after: number
  limit: number
  /** Undefined for all. */
  resources?: readonly FeedResource[] | undefined
  kinds?: readonly StoredKind[] | undefined
  /** Whose changes are left out. */
  without?: { token_id: string | null; user_id: string } | undefined
}

/** How many changes are read to find those that a reader asks for, in one statement. */
const WINDOW = 20_000

/** The next changes of some kinds, and up to which number they were looked for; undefined for the end. */
export async function loadChanges(
  { engine, db, workspace }: Scope,
  part: Part,
): Promise<{ rows: NumberedChange[]; until: number | undefined }> {
  const { after, limit, resources, kinds, without } = part
  const wanted = [
    ...(resources ? [sql`and c.resource in (${sql.join(resources)})`] : []),
    ...(kinds ? [sql`and c.kind in (${sql.join(kinds)})`] : []),
    ...(without ? [sql`and ${isByOthers(without)}`] : []),
  ]
  // The numbers after a position that is still valid have no gaps.
  const until = wanted.length === 0 ? undefined : after + WINDOW
  const bound = until === undefined ? sql`` : sql`and c.sequence <= ${until}`
  const rows = await sql<NumberedChange>`
    select ${sql.raw(['sequence', ...names].map((name) => `c.${name}`).join(', '))}
    from ${sql.raw(engine.numberedChanges)}
    where c.workspace_id = ${workspace.id} and c.sequence > ${after} ${bound} ${sql.join(wanted, sql` `)}
    order by c.sequence limit ${sql.unseen(limit)}`.all(db)
  return { rows, until }
}

function isByOthers({ token_id, user_id }: NonNullable<Part['without']>): Sql<unknown> {
  if (token_id !== null) return sql`(c.token_id is null or c.token_id <> ${token_id})`
  // In the application there is no token: what the user did there.
  return sql`not (c.token_id is null and c.source = 'web' and coalesce(c.actor_id, '') = ${user_id})`
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
