import { type AuditedKind, auditedSettings } from '@kith/contract/app/audit'
import type { FeedResource, StoredKind } from '@kith/contract/changes/change-kind'
import { newId } from '@kith/contract/id'
import { isObject } from '@kith/contract/raw-input'
import type { Actor } from '../scope/scope.ts'
import type { Tenant } from '../storage/engines/engine.ts'
import { type AuditRow, auditTable, type ChangeValues, changeValues } from '../storage/tables/audit-log.ts'
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

/** One change: the attribute, or `custom_fields.` and the code of a field, with the values before and after. */
export type Change = readonly [field: string, before: unknown, after: unknown]

export type AuditEntry = {
  action: AuditAction
  resource: AuditedKind
  /** The id of the changed record, member (the user's id), token, field or workspace. */
  record_id: string
  /** Set if the changed object may soon be deleted. */
  name?: string | null
  changes?: readonly Change[]
  /** The change that this one undoes. */
  undo_of?: string | undefined
  /** The change that caused this one. Only that one can be undone. */
  cause?: string | undefined
  /** The application has saved by itself. `first` is the first save of the same change. */
  save?: { first: AuditRow | undefined } | undefined
  /** The change in the feed. Without it, the feed does not show the entry. */
  change?: FeedChange | undefined
  /** False for entries that only the feed shows. */
  audited?: boolean
}

/** A change of a record, a definition or a member, for the feed. */
export type FeedChange = {
  kind: StoredKind
  /** The `updated_at` of the record. */
  at: string
  /** The names of the changed attributes, if the kind is `updated`. */
  changed?: readonly string[]
  merged_into?: string
  /** The last external ids of a deleted record, as JSON. */
  external_ids?: string | null
  /** The source, if it is not the actor's. */
  source?: 'sample'
}

/**
 * The part of a scope that the log needs. Without a user, the service itself or its operator acts.
 */
export type Auditor = Tenant & {
  actor: Pick<Actor, 'source' | 'token_id'> & { user_id: string | null }
  now(): Date
}

/**
 * Writes the audit entries and the changes of the feed in the transaction that they describe, with few statements for
 * any number of entries. No other function writes either, so that no write misses one of them. An entry and its change
 * have the same id, which begins with the time of the change: entries store no other time. Returns these ids.
 */
export async function noteWrite(inside: Auditor, entries: readonly AuditEntry[]): Promise<string[]> {
  const { source, token_id, user_id } = inside.actor
  const now = inside.now().getTime()
  // The command line acts with the rights of an owner, but is not that person.
  const by = { actor_id: source === 'cli' ? null : user_id, source, token_id }
  const audited: AuditRow[] = []
  const changed: ChangeRow[] = []
  const values: ChangeValues[] = []
  const ids: string[] = []
  for (const entry of entries) {
    const { action, resource, record_id, name = null, changes = [], undo_of = null, cause = null } = entry
    const isStored = entry.audited ?? true
    const isOwnId = isStored && action === 'create' && isRecord(resource)
    const at = isStored && entry.change ? Date.parse(entry.change.at) : now
    const id = isOwnId ? record_id : newId(at)
    ids.push(id)
    if (isStored) {
      const { text, cut } = writeChanges(changes, USUAL)
      const about = { record_id: isOwnId ? null : record_id, action, resource, name, undo_of, cause }
      const first = entry.save?.first
      audited.push({ id, ...about, ...by, changes: text, save_of: entry.save ? (first?.id ?? id) : null })
      const valuesIn = (change: Change) => valuesOf(change, { id: first?.id ?? id, resource, record_id })
      if (first) await keepLast(inside, first, changes.map(valuesIn))
      else if (isRecord(resource)) values.push(...cut.map(valuesIn))
    }
    if (entry.change)
      changed.push({ id, record_id, resource: feedResource(resource), ...by, ...changeOf(entry.change) })
  }
  await auditTable.insertAll(inside, audited)
  if (changed.length > 0) await insertChanges(inside, changed)
  await changeValues.insertAll(inside, values)
  return ids
}

/** The creation of a record is stored under the record's own id: it is the most frequent entry. */
function isRecord(kind: AuditedKind): boolean {
  return !auditedSettings.some((one) => one === kind)
}

function feedResource(kind: AuditedKind): FeedResource {
  return kind === 'members' ? 'users' : kind
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

export type StoredChange = readonly [...Change, truncated?: 1]

/** The maximum that is stored of a value: the characters of a text, and the items of a list. */
type Most = { text: number; items: number }

/** Long texts are cut: otherwise a note that is edited for an hour would fill the log with its drafts. */
const USUAL: Most = { text: 1000, items: Number.POSITIVE_INFINITY }
/** For a change with so many values that its entry would still be large. */
const TIGHT: Most = { text: 100, items: 5 }
const ENTRY_MAX = 64 * 1024

/** The changes in stored form, and those that were cut. */
function writeChanges(changes: readonly Change[], most: Most): { text: string | null; cut: readonly Change[] } {
  if (changes.length === 0) return { text: null, cut: [] }
  const stored = changes.map((change) => shortenChange(change, most))
  const text = JSON.stringify(stored)
  if (text.length > ENTRY_MAX && most !== TIGHT) return writeChanges(changes, TIGHT)
  return { text, cut: changes.filter((_, index) => stored[index]?.[3] === 1) }
}

/** Values that an entry cuts are stored in full for some time, so that the change can be undone. */
function valuesOf(
  [field, before, after]: Change,
  { id, resource, record_id }: Pick<AuditEntry, 'resource' | 'record_id'> & { id: string },
): ChangeValues {
  const [was, is] = [before, after].map((value) => JSON.stringify(value ?? null))
  return { change_id: id, field, resource, record_id, before: was ?? '', after: is ?? '' }
}

/** Of several saves only the values before the first one and after the last one are kept in full. */
async function keepLast(inside: Auditor, first: AuditRow, values: readonly ChangeValues[]): Promise<void> {
  // Only noteWrite writes them.
  const stored = new Map((JSON.parse(first.changes ?? '[]') as StoredChange[]).map((change) => [change[0], change]))
  for (const one of values) {
    const { change_id, field, after } = one
    const kept = await changeValues.update(inside, { change_id, field }, { after })
    const [, before, , cut] = stored.get(field) ?? []
    const whole = { ...one, before: JSON.stringify(before ?? null) }
    // The entry of the first save has the whole value.
    if (kept === 0 && cut === undefined && after.length > USUAL.text) await changeValues.insertAll(inside, [whole])
  }
}

/** The change in stored form, with a 1 at the end if a part was cut. */
export function shortenChange([field, before, after]: Change, most = USUAL): StoredChange {
  const change = [field, shortened(before, most), shortened(after, most)] as const
  return isLonger(before, most) || isLonger(after, most) ? [...change, 1] : change
}

function isLonger(value: unknown, most: Most): boolean {
  if (typeof value === 'string') return value.length > most.text
  if (typeof value !== 'object' || value === null) return false
  const items = Object.values(value)
  return items.length > most.items || items.some((item) => isLonger(item, most))
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
