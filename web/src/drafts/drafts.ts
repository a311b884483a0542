import { newId } from '@kith/contract/id'
import type { ResourceName } from '@kith/contract/resource'
import type { ErrorsByPath } from '@kith/sdk'
import { useEffect, useSyncExternalStore } from 'react'
import { type PropertyChange, type RecordInput, valuesAt } from '../api/patch-record.ts'
import { reportDrafts } from '../api/query-client.ts'
import { showToast } from '../components/toast-store.ts'
import { createStore, useStore } from '../store.ts'

/** Where a draft belongs: a property of a record, or a form. The id of a record that does not exist yet is `new`. */
export type DraftPlace = {
  slug: string
  /** Forms of settings are drafts as well. They are not in the queue. */
  resource: ResourceName | 'webhooks' | 'fields' | 'workspaces' | 'users'
  id: string
  property: string
}

/** A change that the service has not stored yet. It stays in the browser until it is saved or discarded. */
export type Draft = DraftPlace & {
  /** The names of the record and of the property. */
  name: string
  label: string
  change: PropertyChange
  /** The form of a new record, where it differs from the input that is sent. */
  form?: Readonly<Record<string, string>>
  /** The page where a new record was begun, if that is not its list. */
  page?: string
  /** The message once it is stored, and the change that undoes it. A new record is deleted again. */
  told?: { message: string; undo?: PropertyChange }
  /** The version of the record that the user saw, with its values. Absent for a new record. */
  seen?: SeenVersion
  /** `typing` in an editor; `waiting` to be sent; `refused` and `conflict` wait for the user. */
  state: 'typing' | 'waiting' | 'refused' | 'conflict'
  /** Attempts without an answer, the first and the last: the service may have stored them. */
  sent?: readonly RecordInput[] | undefined
  /** Why it was refused, and where. */
  problem?: string
  errors?: ErrorsByPath
  /** The version of someone else, if there is a conflict. */
  theirs?: SeenVersion
  /** The Idempotency-Key of the change. Keys ascend, so they are also the order of the queue. */
  key: string
  at: number
  /** The tab in which it was typed, and the key of the draft of another tab that it was typed on top of. */
  tab?: string
  over?: string | undefined
}

/** `isOwn` if the user has written it, in another tab. */
export type SeenVersion = { version: string; values: RecordInput; isOwn?: boolean }

export const NEW = 'new'

const PREFIX = 'kith.draft.'

/** The user whose drafts are open. Other tabs notice when someone else signs in. */
const USER = 'kith.user'

const LONGEST_MS = 30 * 86_400_000

/** This tab, until it is loaded again. */
const TAB = newId(Date.now())

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

/** The last version that the tabs of the user have stored at a place. A record that was read before is older. */
const stored = new Map<string, SeenVersion>()

export function noteStored(place: DraftPlace, seen: SeenVersion): void {
  const key = draftKey(place)
  const known = stored.get(key)
  if (!known || known.version < seen.version) stored.set(key, seen)
}

/** Whether a draft was typed in another tab than this one. */
export function isElsewhere({ tab }: Draft): boolean {
  return tab !== TAB
}

/** The other tabs that have typed while this one was open. */
const heard = new Set<string>()

/** Whether another tab has this draft open. That tab saves it. */
export function isOpenElsewhere({ tab }: Draft): boolean {
  return tab !== undefined && heard.has(tab)
}

export function lastStored(place: DraftPlace): SeenVersion | undefined {
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
export function putDraft(draft: Omit<Draft, 'key' | 'at' | 'tab' | 'over'>): void {
  const at = Date.now()
  const before = draftAt(draft)
  const over = before && isElsewhere(before) ? before.key : before?.over
  replaceDraft({ ...draft, key: newId(at), at, tab: TAB, over })
}

/** Whether a draft was typed without knowing another one of the same place. */
export function isApart(draft: Draft, other: Draft): boolean {
  return draft.tab !== other.tab && draft.over !== other.key && draft.seen !== undefined
}

/** The draft of a place as all tabs have it now. The event of another tab may not have come yet. */
export function newestAt(place: DraftPlace): Draft | undefined {
  const key = draftKey(place)
  if (unstored.has(key)) return drafts.get(key)
  const newest = readDraft(key)
  if (newest?.key !== drafts.get(key)?.key) takeOver(key, newest)
  return drafts.get(key)
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
  return parseDraft(localStorage.getItem(key))
}

function parseDraft(text: string | null): Draft | undefined {
  try {
    const read: unknown = JSON.parse(text ?? 'null')
    return isDraft(read) ? read : undefined
  } catch {
    return undefined
  }
}

function isDraft(read: unknown): read is Draft {
  return typeof read === 'object' && read !== null && 'change' in read && 'state' in read && 'at' in read
}

/** Another tab has changed a draft, or signed in as someone else. */
function onStorage({ key, newValue }: StorageEvent): void {
  if (key === USER && user !== undefined && !isSameUser()) window.location.reload()
  if (key === null) readAll()
  if (!key?.startsWith(`${PREFIX}${user}.`)) return
  // Each state is taken over, so that an open editor also gets the last one before the draft was stored and removed.
  const draft = newValue === null ? readDraft(key) : parseDraft(newValue)
  if (draft?.tab !== undefined && draft.tab !== TAB) heard.add(draft.tab)
  takeOver(key, draft)
}

/** Takes over a draft as another tab has changed it. */
function takeOver(key: string, draft: Draft | undefined): void {
  const own = drafts.get(key)
  const next = draft && own && !isElsewhere(own) ? bothOf(own, draft) : draft
  if (next && next !== draft) replaceDraft(next)
  else {
    if (draft) drafts.set(key, draft)
    else drafts.delete(key)
    changed(key)
  }
}

/** Which draft stays when one was typed here and another one comes from another tab. */
function bothOf(own: Draft, draft: Draft): Draft {
  if (own.over === draft.key) return own
  if (isApart(draft, own) && !isSettled(draft, own)) return conflictOf(own, draft)
  // The other tab did not know the latest text of this one yet.
  return draft.tab === own.tab && draft.key < own.key ? own : draft
}

/** Whether the later of two drafts has all that was typed: both are equal, or it shows both. */
function isSettled(draft: Draft, { change }: Draft): boolean {
  return draft.state === 'conflict' || JSON.stringify(draft.change) === JSON.stringify(change)
}

/** Two tabs have typed into the same text at the same time. Both texts are kept, and the user decides. */
function conflictOf(own: Draft, { change, key }: Draft): Draft {
  const values = valuesAt(change.input, change.shown)
  const theirs = { version: own.seen?.version ?? '', values, isOwn: true }
  return { ...own, state: 'conflict', theirs, over: key }
}

function warnOfLoss(event: BeforeUnloadEvent): void {
  if (unstored.size > 0) event.preventDefault()
}

/** Follows the other tabs, and asks before a draft would be lost with this one. */
export function followDrafts(): void {
  window.addEventListener('storage', onStorage)
  window.addEventListener('beforeunload', warnOfLoss)
  reportDrafts(() => sorted.length > 0)
}

/** Gives up a draft, with a way back. */
export function discardDraft(draft: Draft): void {
  removeDraft(draft)
  showToast({ message: `Discarded what you typed for ${draft.label}`, undo: () => replaceDraft(draft) })
}

/** Sends a draft again: after a refusal that may have passed, or over the version of someone else. */
export function sendAgain({ theirs, problem: _problem, errors: _errors, ...draft }: Draft): void {
  const seen = theirs ?? draft.seen
  putDraft({ ...draft, ...(seen && { seen }), state: 'waiting' })
}

/** Changes the values of a draft, and keeps its state. */
export function editDraft(draft: Draft, change: PropertyChange): void {
  replaceDraft({ ...draft, change })
}

/** The drafts that a component on the screen shows, with how many of them. The others are listed above the page. */
const shown = createStore<ReadonlyMap<string, number>>(new Map())

export function useShownDrafts(): ReadonlyMap<string, number> {
  return useStore(shown)
}

/** Says that a component shows a draft; undefined if there is none. */
export function useShowsDraft(key: string | undefined): void {
  useEffect(() => {
    if (key === undefined) return
    countShown(key, 1)
    return () => countShown(key, -1)
  }, [key])
}

function countShown(key: string, by: 1 | -1): void {
  const next = new Map(shown.get())
  const count = (next.get(key) ?? 0) + by
  if (count === 0) next.delete(key)
  else next.set(key, count)
  shown.set(next)
}
