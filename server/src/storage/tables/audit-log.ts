import type { AuditedKind } from '@kith/contract/app/audit'
import type { ResourceName } from '@kith/contract/resource'
import type { Db, Tenant } from '../engines/engine.ts'
import { partPattern, type Sql, sql } from '../engines/sql.ts'
import { isWhole, withLastSaves } from './saves.ts'
import { workspaceTable } from './table.ts'

/** An entry of the audit log: the actor and the change. */
export type AuditRow = {
  resource: AuditedKind
  id: string
  action: string
  actor_id: string | null
  source: string
  token_id: string | null
  /** Null for the creation of a record, whose entry has the record's own id. */
  record_id: string | null
  name: string | null
  changes: string | null
  /** The change that this one undoes. */
  undo_of: string | null
  /** The change that caused this one. */
  cause: string | null
  /** The first of the automatic saves that are one change with this one. */
  save_of: string | null
}

const who = ['actor_id', 'source', 'token_id'] as const
const what = ['record_id', 'name', 'changes', 'undo_of', 'cause', 'save_of'] as const
export const auditTable = workspaceTable<AuditRow>('audit_log', {
  columns: ['resource', 'id', 'action', ...who, ...what],
  appends: true,
})

/** The values of an attribute before and after a change, which its entry shortens. */
export type ChangeValues = {
  change_id: string
  field: string
  resource: string
  record_id: string
  /** JSON. */
  before: string
  /** JSON. */
  after: string
}

export const changeValues = workspaceTable<ChangeValues>('change_values', {
  columns: ['change_id', 'field', 'resource', 'record_id', 'before', 'after'],
  appends: true,
})

/** Values can be long. */
const VALUES_BATCH = 50

/** The full values that entries shorten, as long as they are kept. */
export async function loadChangeValues(
  { db, workspace }: Tenant,
  changeIds: readonly string[],
): Promise<ChangeValues[]> {
  if (changeIds.length === 0) return []
  return sql<ChangeValues>`select v.change_id, v.field, v.resource, v.record_id, v.before, v.after from change_values v
    where v.workspace_id = ${workspace.id} and v.change_id ${sql.among(changeIds)} order by v.change_id, v.field`.all(
    db,
  )
}

/** Deletes some of the values of a field before a change; false when there are none left. */
export async function removeChangeValues(
  inside: Tenant,
  { resource, field, before }: { resource: ResourceName; field: string; before: string },
): Promise<boolean> {
  const ours = sql`workspace_id = ${inside.workspace.id} and resource = ${resource} and field = ${field}`
  const some = sql`select change_id from change_values where ${ours} and change_id < ${before} limit ${sql.lit(VALUES_BATCH)}`
  return (await sql`delete from change_values where ${ours} and change_id in (${some})`.run(inside.db)) === VALUES_BATCH
}

export type ListedEntry = AuditRow & { actor_name: string | null; token_name: string | null }

/** The latest entries about some kinds of things. */
export function loadAudit(
  db: Db,
  workspaceId: string,
  { kinds, before, limit }: { kinds: readonly AuditedKind[]; before?: string; limit: number },
): Promise<ListedEntry[]> {
  const parts = kinds.map(
    (kind) => sql`select a.* from audit_log a where a.workspace_id = ${workspaceId} and a.resource = ${kind}
      and ${isWhole('a')} ${isBefore(before)} order by a.id desc limit ${sql.unseen(limit)}`,
  )
  return listed({ db, workspace: { id: workspaceId } }, parts, limit)
}

/** One entry about a record. */
export async function findEntry(
  { db, workspace }: Tenant,
  resource: ResourceName,
  id: string,
): Promise<ListedEntry | undefined> {
  const one = sql`select a.* from audit_log a
    where a.workspace_id = ${workspace.id} and a.resource = ${resource} and a.id = ${id}`
  return (await listed({ db, workspace }, [one], 1))[0]
}

function isBefore(id: string | undefined): Sql<unknown> {
  return id === undefined ? sql`` : sql`and a.id < ${id}`
}

type Log = { db: Db; workspace: { id: string } }

/** The entries of several selects, latest first, with the names of users and tokens. */
async function listed({ db, workspace }: Log, parts: readonly Sql<unknown>[], limit: number): Promise<ListedEntry[]> {
  const query = sql<ListedEntry>`
    select e.*, u.name as actor_name, coalesce(t.name, o.name) as token_name from (
      select * from (${sql.union(parts)}) found order by id desc, resource
      limit ${sql.unseen(limit)}) e
    left join users u on u.id = e.actor_id
    left join tokens t on t.id = e.token_id and t.workspace_id = e.workspace_id
    left join connections c on c.id = e.token_id and c.workspace_id = e.workspace_id
    left join oauth_clients o on o.client_id = c.client_id
    order by e.id desc, e.resource`
  return withLastSaves(db, workspace.id, await query.all(db))
}

/** The last names of deleted things. */
export async function loadLastNames(db: Db, workspaceId: string, recordIds: readonly string[]) {
  if (recordIds.length === 0) return []
  const query = sql<{ record_id: string; name: string }>`
    select a.record_id, a.name from audit_log a where a.workspace_id = ${workspaceId}
    and a.record_id in (${sql.join(recordIds)}) and a.name is not null order by a.id`
  return query.all(db)
}

/** Entries about some records. With `field` only those that may have changed it, and the creations. */
type HistoryPart = {
  resource: ResourceName
  record_ids: readonly string[]
  field?: string | undefined
  /** All of them unless it is there. */
  kinds?: readonly HistoryKind[] | undefined
  before?: string | undefined
  limit: number
}

/** The kind of change of an entry. */
export type HistoryKind = 'changes' | 'merges' | 'imports'

const isMerge = sql`a.action in ('merge', 'undo_merge')`

const kindConditions: Readonly<Record<HistoryKind, Sql<unknown>>> = {
  changes: sql`(a.source <> 'import' and not ${isMerge})`,
  merges: isMerge,
  imports: sql`(a.source = 'import' and not ${isMerge})`,
}

export function historyKindOf({ action, source }: Pick<ListedEntry, 'action' | 'source'>): HistoryKind {
  if (action === 'merge' || action === 'undo_merge') return 'merges'
  return source === 'import' ? 'imports' : 'changes'
}

/** How many records one statement reads: SQLite joins at most 500 selects. */
const RECORDS = 100

/** The latest entries about some records, each read along the index of its own. A creation has the record's own id. */
export async function loadHistory(scope: Tenant, part: HistoryPart): Promise<ListedEntry[]> {
  const { record_ids, limit } = part
  const found: ListedEntry[] = []
  for (let start = 0; start < record_ids.length; start += RECORDS) {
    const ids = record_ids.slice(start, start + RECORDS)
    const selects = [...ids.map((id) => changesOf(scope, id, part)), creationsOf(scope, ids, part)]
    found.push(...(await listed(scope, selects, limit)))
  }
  found.sort((one, other) => (one.id < other.id ? 1 : -1))
  return found.slice(0, limit)
}

function changesOf({ workspace }: Tenant, id: string, part: HistoryPart): Sql<unknown> {
  const { resource, field, kinds, before, limit } = part
  return sql`select a.* from audit_log a where a.workspace_id = ${workspace.id} and a.record_id = ${id}
    and a.resource = ${resource} and ${isWhole('a')} ${mayHave(field)} ${ofKinds(kinds)} ${isBefore(before)}
    order by a.id desc limit ${sql.unseen(limit)}`
}

function creationsOf(
  { workspace }: Tenant,
  ids: readonly string[],
  { resource, kinds, before }: HistoryPart,
): Sql<unknown> {
  return sql`select a.* from audit_log a where a.workspace_id = ${workspace.id} and a.resource = ${resource}
    and a.id in (${sql.join(ids)}) and a.record_id is null ${ofKinds(kinds)} ${isBefore(before)}`
}

function ofKinds(kinds: HistoryPart['kinds']): Sql<unknown> {
  if (kinds === undefined || kinds.length === Object.keys(kindConditions).length) return sql``
  const conditions = kinds.map((kind) => kindConditions[kind])
  return sql`and (${sql.join(conditions, sql` or `)})`
}

/** The changes are JSON text, in which each change is a list that begins with its field. */
function mayHave(field: string | undefined): Sql<unknown> {
  if (field === undefined) return sql``
  return sql`and a.changes like ${sql.unseen(partPattern(`["${field}",`))} escape '\\'`
}

/** So many entries are read with one statement, whether they changed the field or not. */
const STEP = 5000

/** The changes of a field of all records of a resource since an id, oldest first, in steps along the primary key. */
export async function* loadFieldChanges(
  { db, workspace }: Tenant,
  { resource, field, since }: { resource: ResourceName; field: string; since: string },
): AsyncGenerator<{ id: string; record_id: string; changes: string }[]> {
  const ours = sql`a.workspace_id = ${workspace.id} and a.resource = ${resource}`
  for (let after: string | undefined = since; after !== undefined; ) {
    const end: string | undefined = await sql<string>`select a.id from audit_log a where ${ours} and a.id > ${after}
      order by a.id limit 1 offset ${sql.unseen(STEP - 1)}`.value(db)
    const until = end === undefined ? sql`` : sql`and a.id <= ${end}`
    yield await sql<{ id: string; record_id: string; changes: string }>`
      select a.id, a.record_id, a.changes from audit_log a where ${ours} and a.id > ${after} ${until}
      and a.record_id is not null ${mayHave(field)} order by a.id`.all(db)
    after = end
  }
}

/** The first change of a field of each of the records. */
export async function loadFirstChanges(
  { db, workspace }: Tenant,
  { resource, record_ids, field }: Required<Pick<HistoryPart, 'resource' | 'record_ids'>> & { field: string },
): Promise<{ record_id: string; changes: string }[]> {
  if (record_ids.length === 0) return []
  return sql<{ record_id: string; changes: string }>`
    select f.record_id, f.changes from audit_log f join (
      select min(a.id) as id from audit_log a where a.workspace_id = ${workspace.id}
      and a.record_id in (${sql.join(record_ids)}) and a.resource = ${resource} ${mayHave(field)}
      group by a.record_id) first on f.id = first.id
    where f.workspace_id = ${workspace.id} and f.resource = ${resource}`.all(db)
}

/** Writes one entry into the audit log of each workspace of the user. */
export async function insertSignIn(
  inside: Db,
  entry: { id: string; user_id: string; email: string; action: string; changes: string },
): Promise<void> {
  const { id, user_id, email, action, changes } = entry
  // A failed attempt has no actor: it may not be the user.
  const actor = action === 'sign_in' ? user_id : null
  await sql`insert into audit_log (workspace_id, resource, id, action, actor_id, source, record_id, name, changes)
    select m.workspace_id, 'sign_ins', ${id}, ${action}, ${actor}, 'web', m.user_id, ${email}, ${changes}
    from members m where m.user_id = ${user_id}`.run(inside)
}

export type FailureRow = { id: string; changes: string }

/** The entries about failed attempts since an id, each once. */
export async function loadFailures(inside: Db, userId: string, since: string): Promise<FailureRow[]> {
  const rows = await sql<FailureRow>`select a.id, a.changes from members m
    join audit_log a on a.workspace_id = m.workspace_id and a.record_id = m.user_id and a.id >= ${since}
    where m.user_id = ${userId} and a.resource = 'sign_ins' and a.action = 'sign_in_failed'
    order by a.id limit 1000`.all(inside)
  // The entries of one attempt have the same id in all workspaces.
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

export async function replaceFailure(inside: Db, userId: string, { id, changes }: FailureRow): Promise<void> {
  await sql`update audit_log set changes = ${changes} where resource = 'sign_ins' and id = ${id}
    and workspace_id in (select m.workspace_id from members m where m.user_id = ${userId})`.run(inside)
}
