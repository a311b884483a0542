import { newId } from '@kith/contract/id'
import { useEffect, useSyncExternalStore } from 'react'
import type { PropertyChange } from '../api/patch-record.ts'
import { reportDrafts } from '../api/query-client.ts'
import { showToast } from '../components/toast-store.ts'
import { createStore, useStore } from '../store.ts'
import { againOf, createDraftStore, type Draft, type DraftPlace } from './draft-store.ts'

/** The drafts of this tab. */
export const draftStore = createDraftStore(() => localStorage)

export const { openDrafts, draftKey, putDraft, replaceDraft, removeDraft, removeAllDrafts } = draftStore
export const { draftAt, lastStored, isElsewhere, isOpenElsewhere, isUnstored } = draftStore

export function useDraftAt(place: DraftPlace): Draft | undefined {
  const key = draftKey(place)
  return useSyncExternalStore(
    (listener) => draftStore.listen(listener, key),
    () => draftAt(place),
  )
}

export function useAllDrafts(): readonly Draft[] {
  return useSyncExternalStore(draftStore.listen, draftStore.allDrafts)
}

/** Follows the other tabs, and asks before a draft would be lost with this one. */
export function followDrafts(): void {
  window.addEventListener('storage', (event) => {
    if (draftStore.isSignIn(event)) window.location.reload()
    draftStore.followStorage(event)
  })
  window.addEventListener('beforeunload', (event) => draftStore.hasUnstored() && event.preventDefault())
  reportDrafts(() => draftStore.allDrafts().length > 0)
}

/** Gives up a draft, with a way back. */
export function discardDraft(draft: Draft): void {
  removeDraft(draft)
  const what = draft.act ? `the ${draft.label.toLowerCase()} of ${draft.name}` : `what you typed for ${draft.label}`
  showToast({ message: `Discarded ${what}`, undo: () => replaceDraft(draft) })
}

/** Sends a draft again: after a refusal that may have passed, or over the version of someone else. */
export function sendAgain(draft: Draft): void {
  putDraft(againOf(draft))
}

/** Changes the values of a draft, and keeps its state. */
export function editDraft(draft: Draft, change: PropertyChange): void {
  replaceDraft({ ...draft, change })
}

/** Keeps a draft that the user has not typed. An editor that has its text open goes on with this one. */
export function putBeneath(draft: Omit<Draft, 'key' | 'at' | 'tab' | 'over'>): void {
  const { key, at: _at, tab: _tab, ...before } = draftAt(draft) ?? {}
  const at = Date.now()
  replaceDraft({ ...before, ...draft, key: newId(at), at, over: key })
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
