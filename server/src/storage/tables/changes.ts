import type { FeedResource, StoredKind } from '@kith/contract/changes/change-kind'
import type { Db, Engine } from '../engines/engine.ts'
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
