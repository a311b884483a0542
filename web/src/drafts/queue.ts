import { call } from '../api/call.ts'
import { patchComment } from '../api/comments.ts'
import { patchColumns, patchRecord } from '../api/patch-record.ts'
import { queryClient } from '../api/query-client.ts'
import { type ApiRecord, recordsKey, refreshRecords } from '../api/records.ts'
import { setSessionEnded } from '../components/sign-in-again.ts'
import { addToast } from '../components/toast-store.ts'
import { STATUS } from '../properties/task-state.ts'
import { createStore, useStore } from '../store.ts'
import { changedTask } from './changed-task.ts'
import { createQueue, seenIn } from './draft-queue.ts'
import { againOf, type Draft, type DraftPlace, NEW } from './draft-store.ts'
import { draftKey, draftStore, putDraft } from './drafts.ts'
import { deleteRecord, restoreRecord } from './record-acts.ts'

const queue = createQueue({
  drafts: draftStore,
  call,
  // Where the browser has locks, one tab sends at a time. Elsewhere the keys make it safe.
  alone: async (work) => (navigator.locks ? navigator.locks.request('kith.drafts', work) : work()),
  onStored: showStored,
  onSession: (state) => setSessionEnded(state === 'ended'),
})

/** Sends the waiting drafts now. */
export const sendDrafts = queue.send

/** Why the queue waits, until it goes on. */
export function useQueueFailure(): string | undefined {
  return useStore(queue.failure)
}

/** Sends the waiting drafts whenever there are some. Once for the application. */
export function startQueue(): void {
  queue.start()
  window.addEventListener('online', () => void sendDrafts())
  window.addEventListener('focus', () => void sendDrafts())
}

/** A draft that a tab has stored. The key of the draft names the user. */
type StoredMessage = { key: string; draft: Draft; stored: ApiRecord | undefined }

let tabs: BroadcastChannel | undefined

/** Shows records that other tabs of the user store. Otherwise an editor here would begin with an old text. */
export function followStored(): void {
  tabs = new BroadcastChannel('kith.stored')
  tabs.addEventListener('message', ({ data: { key, draft, stored } }: MessageEvent<StoredMessage>) => {
    if (key === draftKey(draft)) show(draft, stored)
  })
}

/** Shows a stored record, in this tab and in the others. */
function showStored(draft: Draft, stored: ApiRecord | undefined): void {
  show(draft, stored)
  if (draft.id === NEW && stored) created.set({ key: draftKey(draft), id: stored.id })
  if (draft.act?.kind === 'restore') sendRefused(draft)
  tabs?.postMessage({ key: draftKey(draft), draft, stored } satisfies StoredMessage)
  const { slug, id, told, change } = draft
  if (!told) return
  const toast = addToast({ message: told.message, ...undoOf(draft, stored) })
  // Undoing it asks for nothing.
  const isStatus = told.undo !== undefined && change.input.custom_fields?.[STATUS] !== undefined
  if (draft.resource === 'tasks' && isStatus) changedTask.set({ slug, id, key: draft.key, toast })
}

/** What was typed for a record while it was gone is sent again once it is there. */
function sendRefused({ slug, resource, id }: Draft): void {
  for (const draft of draftStore.allDrafts()) {
    const isOf = draft.slug === slug && draft.resource === resource && draft.id === id
    if (isOf && draft.state === 'refused') putDraft(againOf(draft))
  }
}

/** The record that this tab has created last, and the draft that it was. */
const created = createStore<{ key: string; id: string } | undefined>(undefined)

/** The id of the record that a draft has become, if it was the last one. */
export function useCreated(place: DraftPlace): string | undefined {
  const last = useStore(created)
  return last?.key === draftKey(place) ? last.id : undefined
}

function show(draft: Draft, stored: ApiRecord | undefined): void {
  const { slug, resource, change } = draft
  // Keys ascend, like versions.
  draftStore.noteStored(draft, stored ? seenIn(draft, stored) : { version: draft.key, values: {} })
  const { relationships, included } = change
  const key = recordsKey(slug, resource)
  if (stored) {
    patchRecord(queryClient, key, { id: stored.id, shown: stored.attributes, relationships, included })
    patchColumns(queryClient, key, stored)
    patchComment(queryClient, slug, stored)
  } else void queryClient.invalidateQueries({ queryKey: [slug, 'trash'] })
  void refreshRecords(queryClient, slug, resource)
  void queryClient.invalidateQueries({ queryKey: [slug, 'summaries'] })
}

/** The undo of a stored draft, if it has one. */
function undoOf({ told, key: _key, at: _at, sent: _sent, ...draft }: Draft, stored: ApiRecord | undefined) {
  if (draft.act?.kind === 'delete') return { undo: () => restoreRecord(draft, `Undone: Deleted ${draft.name}`) }
  if (draft.id === NEW && stored) return { undo: () => deleteRecord({ ...draft, id: stored.id }) }
  const change = told?.undo
  if (!change || !stored) return {}
  const undo = () => {
    const message = `Undone: ${told.message}`
    putDraft({ ...draft, change, seen: seenIn({ change }, stored), state: 'waiting', told: { message } })
    return 'later' as const
  }
  return { undo }
}
