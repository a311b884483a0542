import type { ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { partPattern } from '../engines/like.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { isBefore, type ListedEntry, listed } from './audit-log.ts'

/** Entries about some records. With `field` only those that may have changed it, and the creations. */
type Part = {
  resource: ResourceName
  record_ids: readonly string[]
  field?: string | undefined
  /** All of them unless it is there. */
  kinds?: readonly HistoryKind[] | undefined
  before?: string | undefined
  limit: number
  offset?: number
}

/** What kind of change an entry is. */
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
export async function loadHistory(scope: Scope, part: Part): Promise<ListedEntry[]> {
  const { record_ids, limit, offset = 0 } = part
  const found: ListedEntry[] = []
  for (let start = 0; start < record_ids.length; start += RECORDS) {
    const ids = record_ids.slice(start, start + RECORDS)
    const selects = [...ids.map((id) => changesOf(scope, id, part)), creationsOf(scope, ids, part)]
    found.push(...(await listed(scope.db, selects, { limit: limit + offset, offset: 0 })))
  }
  found.sort((one, other) => (one.id < other.id ? 1 : -1))
  return found.slice(offset, offset + limit)
}

function changesOf({ workspace }: Scope, id: string, part: Part): Sql<unknown> {
  const { resource, field, kinds, before, limit, offset = 0 } = part
  return sql`select a.* from audit_log a where a.workspace_id = ${workspace.id} and a.record_id = ${id}
    and a.resource = ${resource} ${mayHave(field)} ${ofKinds(kinds)} ${isBefore(before)}
    order by a.id desc limit ${sql.unseen(limit + offset)}`
}

function creationsOf({ workspace }: Scope, ids: readonly string[], { resource, kinds, before }: Part): Sql<unknown> {
  return sql`select a.* from audit_log a where a.workspace_id = ${workspace.id} and a.resource = ${resource}
    and a.id in (${sql.join(ids)}) and a.record_id is null ${ofKinds(kinds)} ${isBefore(before)}`
}

function ofKinds(kinds: Part['kinds']): Sql<unknown> {
  if (kinds === undefined || kinds.length === Object.keys(kindConditions).length) return sql``
  const conditions = kinds.map((kind) => kindConditions[kind])
  return sql`and (${sql.join(conditions, sql` or `)})`
}

/** The changes are JSON text, in which each change is a list that begins with its field. */
function mayHave(field: string | undefined): Sql<unknown> {
  if (field === undefined) return sql``
  return sql`and a.changes like ${sql.unseen(partPattern(`["${field}",`))} escape '\\'`
}

/** The first change of a field of each of the records. */
export async function loadFirstChanges(
  { db, workspace }: Scope,
  { resource, record_ids, field }: Required<Pick<Part, 'resource' | 'record_ids'>> & { field: string },
): Promise<{ record_id: string; changes: string }[]> {
  if (record_ids.length === 0) return []
  return sql<{ record_id: string; changes: string }>`
    select f.record_id, f.changes from audit_log f join (
      select min(a.id) as id from audit_log a where a.workspace_id = ${workspace.id}
      and a.record_id in (${sql.join(record_ids)}) and a.resource = ${resource} ${mayHave(field)}
      group by a.record_id) first on f.id = first.id
    where f.workspace_id = ${workspace.id} and f.resource = ${resource}`.all(db)
}
