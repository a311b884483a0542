import { newId } from '@kith/contract/id'
import type { ResourceName } from '@kith/contract/resource'
import type { ErrorsByPath } from '@kith/sdk'
import { type PropertyChange, type RecordInput, valuesAt } from '../api/patch-record.ts'
import type { PlanChange } from '../api/task-plans.ts'

/** Where a draft belongs: a property of a record, or a form. The id of a record that does not exist yet is `new`. */
export type DraftPlace = {
  slug: string
  /** Forms of settings are drafts as well. They are not in the queue. */
  resource: ResourceName | 'webhooks' | 'schemas' | 'fields' | 'workspaces' | 'users'
  id: string
  property: string
}

/** A change that the service has not stored yet. It stays in the browser until it is saved or discarded. */
export type Draft = DraftPlace & {
  /** The names of the record and of the property. */
  name: string
  label: string
  change: PropertyChange
  /** What happens to the record as a whole, if no value changes. */
  act?: RecordAct
  /** Where a new one is added, if that is not the list of its resource. */
  list?: string
  /** The form of a new record, where it differs from the input that is sent. */
  form?: Readonly<Record<string, string>>
  /** How a new task repeats, and when its author is reminded. */
  plan?: PlanChange
  /** The page where a new record was begun, if that is not its list. */
  page?: string
  /** The message once it is stored, and the change that undoes it. A new record is deleted again. */
  told?: { message: string; undo?: PropertyChange }
  /** The version of the record that the user saw, with its values. Absent for a new record. */
  seen?: SeenVersion
  /** `typing` in an editor; `waiting` to be sent; `refused` and `conflict` wait for the user. */
  state: 'typing' | 'waiting' | 'refused' | 'conflict'
  /** Whether a text has saved itself, without being asked. */
  automatic?: boolean
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

/** Each can be sent again: the service has done it already then. `undo` names a change of the history. */
export type RecordAct = { kind: 'delete' } | { kind: 'restore' } | { kind: 'undo'; id: string; force: boolean }

/** `isOwn` if the user has written it, in another tab. `change` is what that tab sends. */
export type SeenVersion = { version: string; values: RecordInput; isOwn?: boolean; change?: PropertyChange }

export const NEW = 'new'

const PREFIX = 'kith.draft.'

/** The user whose drafts are open. Other tabs notice when someone else signs in. */
const USER = 'kith.user'

const LONGEST_MS = 30 * 86_400_000

/** The drafts of one tab, in a storage that all tabs of the browser share. */
export type DraftStore = ReturnType<typeof createDraftStore>

export function createDraftStore(storage: () => Storage) {
  /** This tab, until it is loaded again. */
  const ownTab = newId(Date.now())
  const drafts = new Map<string, Draft>()
  /** Drafts that the browser had no room for. They are in memory only. */
  const unstored = new Set<string>()
  const listeners = new Map<string, Set<() => void>>()
  /** The last version that the tabs of the user have stored at a place. A record that was read before is older. */
  const stored = new Map<string, SeenVersion>()
  /** The other tabs that have typed while this one was open. */
  const heard = new Set<string>()
  let user: string | undefined
  let sorted: readonly Draft[] = []

  /** Opens the drafts of the signed-in user. No other user sees them. */
  function openDrafts(id: string): void {
    storage().setItem(USER, id)
    if (user === id) return
    user = id
    readAll()
  }

  /** Whether the signed-in user is still the one whose drafts are open. */
  function isSameUser(): boolean {
    return user !== undefined && storage().getItem(USER) === user
  }

  function draftKey({ slug, resource, id, property }: DraftPlace): string {
    return `${PREFIX}${user}.${slug}.${resource}.${id}.${property}`
  }

  function noteStored(place: DraftPlace, seen: SeenVersion): void {
    const key = draftKey(place)
    const known = stored.get(key)
    if (!known || known.version < seen.version) stored.set(key, seen)
  }

  /** A draft with a new change, which the service has not seen yet. */
  function putDraft(draft: Omit<Draft, 'key' | 'at' | 'tab' | 'over'>): void {
    const at = Date.now()
    const before = drafts.get(draftKey(draft))
    const over = before && isElsewhere(before) ? before.key : before?.over
    replaceDraft({ ...draft, key: newId(at), at, tab: ownTab, over })
  }

  /** The draft of a place as all tabs have it now. The event of another tab may not have come yet. */
  function newestAt(place: DraftPlace): Draft | undefined {
    const key = draftKey(place)
    if (unstored.has(key)) return drafts.get(key)
    const newest = parseDraft(storage().getItem(key))
    if (newest?.key !== drafts.get(key)?.key) takeOver(key, newest)
    return drafts.get(key)
  }

  /** The same change in another state. */
  function replaceDraft(draft: Draft): void {
    const key = draftKey(draft)
    drafts.set(key, draft)
    try {
      storage().setItem(key, JSON.stringify(draft))
      unstored.delete(key)
    } catch {
      unstored.add(key)
    }
    changed(key)
  }

  function removeDraft(place: DraftPlace): void {
    const key = draftKey(place)
    drafts.delete(key)
    unstored.delete(key)
    storage().removeItem(key)
    changed(key)
  }

  /** Calls back after every change of the draft at a key, or of any draft. */
  function listen(listener: () => void, key = PREFIX): () => void {
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
    const keys = Array.from({ length: storage().length }, (_, index) => storage().key(index) ?? '')
    for (const key of keys) {
      if (!key.startsWith(PREFIX)) continue
      const draft = parseDraft(storage().getItem(key))
      if (!draft || draft.at < Date.now() - LONGEST_MS) storage().removeItem(key)
      else if (key.startsWith(own)) drafts.set(key, draft)
    }
    for (const key of new Set([...before, ...drafts.keys()])) changed(key)
  }

  /** Another tab has changed something in the storage. */
  function followStorage({ key, newValue }: Pick<StorageEvent, 'key' | 'newValue'>): void {
    if (key === null) readAll()
    if (!key?.startsWith(`${PREFIX}${user}.`)) return
    // Each state is taken over, so that an open editor also gets the last one before the draft was stored and removed.
    const draft = parseDraft(newValue ?? storage().getItem(key))
    if (draft?.tab !== undefined && draft.tab !== ownTab) heard.add(draft.tab)
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

  /** Whether a draft was typed in another tab than this one. */
  function isElsewhere({ tab }: Draft): boolean {
    return tab !== ownTab
  }

  return {
    openDrafts,
    isSameUser,
    draftKey,
    noteStored,
    putDraft,
    newestAt,
    replaceDraft,
    removeDraft,
    listen,
    followStorage,
    isElsewhere,
    /** Whether someone else has signed in, in another tab. */
    isSignIn: ({ key }: Pick<StorageEvent, 'key'>): boolean => key === USER && user !== undefined && !isSameUser(),
    /** Whether another tab has this draft open. That tab saves it. */
    isOpenElsewhere: ({ tab }: Draft): boolean => tab !== undefined && heard.has(tab),
    lastStored: (place: DraftPlace): SeenVersion | undefined => stored.get(draftKey(place)),
    draftAt: (place: DraftPlace): Draft | undefined => drafts.get(draftKey(place)),
    /** All drafts of the user, in the order of the queue. */
    allDrafts: (): readonly Draft[] => sorted,
    /** Removes everything that the user has typed and not saved. */
    removeAllDrafts(): void {
      for (const draft of sorted) removeDraft(draft)
    },
    /** Whether a draft would be lost with this tab. */
    isUnstored: (place: DraftPlace): boolean => unstored.has(draftKey(place)),
    hasUnstored: (): boolean => unstored.size > 0,
  }
}

/** Whether a draft was typed without knowing another one of the same place. */
export function isApart(draft: Draft, other: Draft): boolean {
  return draft.tab !== other.tab && draft.over !== other.key && draft.seen !== undefined
}

/** A draft as it is sent again: after a refusal that may have passed, or over the version of someone else. */
export function againOf({ theirs, problem: _problem, errors: _errors, ...draft }: Draft): Draft {
  const seen = theirs ?? draft.seen
  return { ...draft, ...(seen && { seen }), state: 'waiting' }
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
  const theirs = { version: own.seen?.version ?? '', values, change, isOwn: true }
  return { ...own, state: 'conflict', theirs, over: key }
}
