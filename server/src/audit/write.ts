import type { AuditedKind } from '@kith/contract/app/audit'
import { newId } from '@kith/contract/id'
import { resourceNames } from '@kith/contract/resource'
import type { Actor } from '../scope/scope.ts'
import type { Db, Engine } from '../storage/engines/engine.ts'
import { insertAudit } from '../storage/tables/audit-log.ts'

export type AuditAction =
  | 'create'
  | 'update'
  | 'delete'
  | 'restore'
  | 'merge'
  | 'undo_merge'
  | 'archive'
  | 'revoke'
  | 'reset_link'
  | 'sample'
  | 'end_sessions'
  | 'sign_in'
  | 'sign_in_failed'

/** One thing that changed: the attribute, or `custom_fields.` and the code of a field, before and after. */
export type Change = readonly [field: string, before: unknown, after: unknown]

export type AuditEntry = {
  action: AuditAction
  resource: AuditedKind
  /** What was changed: a record, a member (by the id of the user), a token, a field, the workspace. */
  record_id: string
  /** Set where the thing itself may soon be gone. */
  name?: string | null
  changes?: readonly Change[]
}

/**
 * The part of a scope that the log needs. Without a user, the service itself or its operator acts.
 */
export type Auditing = {
  engine: Engine
  db: Db
  workspace: { id: string }
  actor: Pick<Actor, 'source' | 'token_id'> & { user_id: string | null }
  now(): Date
}

/** Writes audit entries in the transaction that they describe: few statements, however many entries there are. */
export function writeAudit(inside: Auditing, entries: readonly AuditEntry[]): Promise<void> {
  const { source, token_id, user_id } = inside.actor
  const at = inside.now().getTime()
  // The command line acts for an owner, but is not that person.
  const actor_id = source === 'cli' ? null : user_id
  const rows = entries.map((entry) => {
    const { action, resource, name = null, changes = [] } = entry
    const written = changes.length === 0 ? null : writeChanges(changes)
    return { ...idsOf(entry, at), action, resource, name, actor_id, source, token_id, changes: written }
  })
  return insertAudit(inside, inside.workspace.id, rows)
}

/** The creation of a record is stored under the record's own id: it is the most frequent entry. */
function idsOf({ action, resource, record_id }: AuditEntry, at: number) {
  const isNewRecord = action === 'create' && resourceNames.some((name) => name === resource)
  return isNewRecord ? { id: record_id, record_id: null } : { id: newId(at), record_id }
}

/** How much of a value is stored: the characters of a text, and the items of a list. */
type Most = { text: number; items: number }

/** Long texts are cut: a note that is edited for an hour would otherwise fill the log with its drafts. */
const USUAL: Most = { text: 1000, items: Number.POSITIVE_INFINITY }
/** For a change with so many values that its entry would still be large. */
const TIGHT: Most = { text: 100, items: 5 }
const ENTRY_MAX = 64 * 1024

function writeChanges(changes: readonly Change[]): string {
  const usual = JSON.stringify(changes.map((change) => bounded(change, USUAL)))
  return usual.length <= ENTRY_MAX ? usual : JSON.stringify(changes.map((change) => bounded(change, TIGHT)))
}

function bounded([field, before, after]: Change, most: Most): Change {
  return [field, shortened(before, most), shortened(after, most)]
}

function shortened(value: unknown, most: Most): unknown {
  if (Array.isArray(value)) return value.slice(0, most.items).map((item) => shortened(item, most))
  if (typeof value !== 'string' || value.length <= most.text) return value
  return `${value.slice(0, most.text).toWellFormed()}…`
}
