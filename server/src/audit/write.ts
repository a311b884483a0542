import type { AuditedKind } from '@kith/contract/app/audit'
import { type FeedResource, feedResources, type StoredKind } from '@kith/contract/changes/change-kind'
import { newId } from '@kith/contract/id'
import { isObject } from '@kith/contract/raw-input'
import { resourceNames } from '@kith/contract/resource'
import type { Actor, Writing } from '../scope/scope.ts'
import { type AuditRow, insertAudit } from '../storage/tables/audit-log.ts'
import { type ChangeRow, insertChanges } from '../storage/tables/changes.ts'

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
  /** How the feed shows it. Without this it does not. */
  change?: FeedChange | undefined
  /** False for what only the feed shows. */
  audited?: boolean
}

/** A change of a record, a definition or a member, for the feed. */
export type FeedChange = {
  kind: StoredKind
  /** When the record was last changed, as it shows it. */
  at: string
  /** The names of what changed, if the kind is `updated`. */
  changed?: readonly string[]
  merged_into?: string
  /** The last external ids of a record that is gone, as JSON. */
  external_ids?: string | null
  /** Where it comes from, if not from the actor's source. */
  source?: 'sample'
}

/**
 * The part of a scope that the log needs. Without a user, the service itself or its operator acts.
 */
export type Auditing = Writing & {
  actor: Pick<Actor, 'source' | 'token_id'> & { user_id: string | null }
  now(): Date
}

/**
 * Writes the audit entries and the changes of the feed in the transaction that they describe: few statements, however
 * many there are. No other function writes either, so that no write can forget one of them. An entry and its change
 * have the same id.
 */
export async function noteWrite(inside: Auditing, entries: readonly AuditEntry[]): Promise<void> {
  const { source, token_id, user_id } = inside.actor
  const at = inside.now().getTime()
  // The command line acts for an owner, but is not that person.
  const by = { actor_id: source === 'cli' ? null : user_id, source, token_id }
  const audited: AuditRow[] = []
  const changed: ChangeRow[] = []
  for (const entry of entries) {
    const { action, resource, record_id, name = null, changes = [] } = entry
    const isStored = entry.audited ?? true
    const isOwnId = isStored && action === 'create' && isRecord(resource)
    const id = isOwnId ? record_id : newId(at)
    if (isStored) {
      const written = changes.length === 0 ? null : writeChanges(changes)
      audited.push({ id, record_id: isOwnId ? null : record_id, action, resource, name, ...by, changes: written })
    }
    if (entry.change)
      changed.push({ id, record_id, resource: feedResource(resource), ...by, ...changeOf(entry.change) })
  }
  if (audited.length > 0) await insertAudit(inside, audited)
  if (changed.length > 0) await insertChanges(inside, changed)
}

/** The creation of a record is stored under the record's own id: it is the most frequent entry. */
function isRecord(kind: AuditedKind): boolean {
  return resourceNames.some((name) => name === kind)
}

function feedResource(kind: AuditedKind): FeedResource {
  const named = kind === 'members' ? 'users' : feedResources.find((name) => name === kind)
  if (named === undefined) throw new Error(`The feed has no changes of ${kind}.`)
  return named
}

function changeOf(entry: FeedChange) {
  const { changed, merged_into, external_ids, ...change } = entry
  return {
    ...change,
    changed: changed ? JSON.stringify(changed.toSorted()) : null,
    merged_into: merged_into ?? null,
    external_ids: external_ids ?? null,
  }
}

/** A change as it is stored. */
export type StoredChange = readonly [...Change, truncated?: 1]

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

/** With a 1 at the end if a part of it was cut off. */
function bounded([field, before, after]: Change, most: Most): StoredChange {
  const change = [field, shortened(before, most), shortened(after, most)] as const
  return isLonger(before, most) || isLonger(after, most) ? [...change, 1] : change
}

function isLonger(value: unknown, most: Most): boolean {
  if (Array.isArray(value)) return value.length > most.items || value.some((item) => isLonger(item, most))
  return typeof value === 'string' && value.length > most.text
}

function shortened(value: unknown, most: Most): unknown {
  if (Array.isArray(value)) return value.slice(0, most.items).map((item) => shortened(item, most))
  if (isObject(value)) {
    const entries = Object.entries(value).slice(0, most.items)
    return Object.fromEntries(entries.map(([key, part]) => [key, shortened(part, most)]))
  }
  if (typeof value !== 'string' || value.length <= most.text) return value
  return `${value.slice(0, most.text).toWellFormed()}…`
}
