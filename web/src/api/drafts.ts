import { newId } from '@kith/contract/id'
import type { ResourceName } from '@kith/contract/resource'
import type { ErrorsByPath } from '@kith/sdk'
import { useSyncExternalStore } from 'react'
import type { PropertyChange, RecordInput } from './patch-record.ts'

/** Where a draft belongs: a property of a record. The id of a record that does not exist yet is `new`. */
export type DraftPlace = { slug: string; resource: ResourceName; id: string; property: string }

/** A change that the service has not stored yet. It stays in the browser until it is saved or discarded. */
export type Draft = DraftPlace & {
  /** What is changed, in words: the name of the record and of the property. */
  name: string
  label: string
  change: PropertyChange
  /** What the form of a new record has, where that is not what is sent. */
  form?: Readonly<Record<string, string>>
  /** The page where a new record was begun, if that is not its list. */
  page?: string
  /** The version of the record that the user saw, and what it had there. Absent for a new record. */
  seen?: Seen
  /** `typing` in an editor; `waiting` to be sent; `refused` and `conflict` wait for the user. */
  state: 'typing' | 'waiting' | 'refused' | 'conflict'
  /** Whether the service may have stored an earlier state of it. */
  sent?: boolean
  /** Why it was refused, and where. */
  problem?: string
  errors?: ErrorsByPath
  /** What someone else has written meanwhile, if there is a conflict. */
  theirs?: Seen
  /** The Idempotency-Key of the change. Keys ascend, so they are also the order of the queue. */
  key: string
  at: number
}

export type Seen = { version: string; values: RecordInput }

export const NEW = 'new'

const PREFIX = 'kith.draft.'
/** The user whose drafts are open. Other tabs notice when someone else signs in. */
const USER = 'kith.user'
const LONGEST_MS = 30 * 86_400_000

const drafts = new Map<string, Draft>()
/** Drafts that the browser had no room for. They are in memory only. */
const unstored = new Set<string>()
const listeners = new Map<string, Set<() => void>>()
let user: string | undefined
let sorted: readonly Draft[] = []

/** Opens the drafts of the signed-in user. Nobody else sees them. */
export function openDrafts(id: string): void {
  localStorage.setItem(USER, id)
  if (user === id) return
  user = id
  readAll()
}

/** Whether the signed-in user is still the one whose drafts are open. */
export function isSameUser(): boolean {
  return user !== undefined && localStorage.getItem(USER) === user
}

export function draftKey({ slug, resource, id, property }: DraftPlace): string {
  return `${PREFIX}${user}.${slug}.${resource}.${id}.${property}`
}

/** What this tab has stored last at a place. A record that was read before it is older than it. */
const stored = new Map<string, Seen>()

export function noteStored(place: DraftPlace, seen: Seen): void {
  stored.set(draftKey(place), seen)
}

export function lastStored(place: DraftPlace): Seen | undefined {
  return stored.get(draftKey(place))
}

export function draftAt(place: DraftPlace): Draft | undefined {
  return drafts.get(draftKey(place))
}

/** All drafts of the user, in the order of the queue. */
export function allDrafts(): readonly Draft[] {
  return sorted
}

export function useDraftAt(place: DraftPlace): Draft | undefined {
  const key = draftKey(place)
  return useSyncExternalStore(
    (listener) => listen(key, listener),
    () => drafts.get(key),
  )
}

export function useAllDrafts(): readonly Draft[] {
  return useSyncExternalStore(
    (listener) => listen(PREFIX, listener),
    () => sorted,
  )
}

/** Calls back after every change of any draft. */
export function onDrafts(listener: () => void): () => void {
  return listen(PREFIX, listener)
}

/** A draft with a new change, which the service has not seen yet. */
export function putDraft(draft: Omit<Draft, 'key' | 'at'>): void {
  const at = Date.now()
  replaceDraft({ ...draft, key: newId(at), at })
}

/** The same change in another state. */
export function replaceDraft(draft: Draft): void {
  const key = draftKey(draft)
  drafts.set(key, draft)
  try {
    localStorage.setItem(key, JSON.stringify(draft))
    unstored.delete(key)
  } catch {
    unstored.add(key)
  }
  changed(key)
}

export function removeDraft(place: DraftPlace): void {
  const key = draftKey(place)
  drafts.delete(key)
  unstored.delete(key)
  localStorage.removeItem(key)
  changed(key)
}

/** Removes everything that the user has typed and not saved. */
export function removeAllDrafts(): void {
  for (const draft of sorted) removeDraft(draft)
}

/** Whether a draft would be lost with this tab. */
export function isUnstored(place: DraftPlace): boolean {
  return unstored.has(draftKey(place))
}

function listen(key: string, listener: () => void): () => void {
  const known = listeners.get(key) ?? new Set()
  known.add(listener)
  listeners.set(key, known)
  return () => {
    known.delete(listener)
    if (known.size === 0) listeners.delete(key)
  }
}

function changed(key: string): void {
  sorted = [...drafts.values()].sort((one, other) => (one.key < other.key ? -1 : 1))
  for (const of of [key, PREFIX]) for (const listener of [...(listeners.get(of) ?? [])]) listener()
}

function readAll(): void {
  const before = [...drafts.keys()]
  drafts.clear()
  unstored.clear()
  const own = `${PREFIX}${user}.`
  for (const key of Object.keys(localStorage)) {
    if (!key.startsWith(PREFIX)) continue
    const draft = readDraft(key)
    if (!draft || draft.at < Date.now() - LONGEST_MS) localStorage.removeItem(key)
    else if (key.startsWith(own)) drafts.set(key, draft)
  }
  for (const key of new Set([...before, ...drafts.keys()])) changed(key)
}

function readDraft(key: string): Draft | undefined {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    return isDraft(read) ? read : undefined
  } catch {
    return undefined
  }
}

function isDraft(read: unknown): read is Draft {
  return typeof read === 'object' && read !== null && 'change' in read && 'state' in read && 'at' in read
}

/** Another tab has changed a draft, or signed in as someone else. */
function onStorage({ key }: StorageEvent): void {
  if (key === USER && user !== undefined && !isSameUser()) window.location.reload()
  if (key === null) readAll()
  if (!key?.startsWith(`${PREFIX}${user}.`)) return
  const draft = readDraft(key)
  if (draft) drafts.set(key, draft)
  else drafts.delete(key)
  changed(key)
}

function warnOfLoss(event: BeforeUnloadEvent): void {
  if (unstored.size > 0) event.preventDefault()
}

/** Follows the other tabs, and asks before a draft would be lost with this one. */
export function followDrafts(): void {
  window.addEventListener('storage', onStorage)
  window.addEventListener('beforeunload', warnOfLoss)
}
