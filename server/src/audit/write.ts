import type { AuditedKind } from '@kith/contract/app/audit'
import { newId } from '@kith/contract/id'
import type { ResourceName } from '@kith/contract/resource'
import type { Actor, Scope } from '../scope/scope.ts'
import type { Db, Engine } from '../storage/engines/engine.ts'
import { insertAudit, insertMade } from '../storage/tables/audit-log.ts'

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
  /** Told where the thing itself may soon be unable to tell it. */
  name?: string | null
  changes?: readonly Change[]
}

/**
 * Where and by whom something is done, as far as the log needs to know. Without a user it was the service itself, or
 * its operator.
 */
export type Auditing = {
  engine: Engine
  db: Db
  workspace: { id: string }
  actor: Pick<Actor, 'source' | 'token_id'> & { user_id: string | null }
  now(): Date
}

/** Writes down what was done, in the transaction that does it: few statements, however many entries there are. */
export function writeAudit(inside: Auditing, entries: readonly AuditEntry[]): Promise<void> {
  const { actor } = inside
  const at = inside.now().getTime()
  const rows = entries.map(({ action, resource, record_id, name = null, changes = [] }) => ({
    ...{ id: newId(at), action, resource, record_id, name },
    // Whoever uses the command line acts for an owner, but is not told by it.
    ...{ actor_id: actor.source === 'cli' ? null : actor.user_id, source: actor.source, token_id: actor.token_id },
    changes: changes.length === 0 ? null : writeChanges(changes),
  }))
  return insertAudit(inside, inside.workspace.id, rows)
}

/** That a record was made. What it was made of, the record itself tells. */
export function auditMade(inside: Scope, resource: ResourceName, id: string): Promise<void> {
  return insertMade(inside, { resource, id }, inside.actor)
}

/** How much of a value is kept: the characters of a text, and the items of a list. */
type Most = { text: number; items: number }

/** A note that is edited for an hour would otherwise fill the log with its drafts. */
const USUAL: Most = { text: 1000, items: Number.POSITIVE_INFINITY }
/** Where a change has so many values that an entry would be large in spite of that. */
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
