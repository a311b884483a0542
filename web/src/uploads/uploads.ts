import type { FileObject } from '@kith/contract/file'
import { firstIdAt, newId } from '@kith/contract/id'
import { useMemo, useSyncExternalStore } from 'react'
import { refreshFiles } from '../api/files.ts'
import { queryClient, reportDrafts } from '../api/query-client.ts'
import { sendBytes } from '../api/send-bytes.ts'
import { setSessionEnded } from '../components/sign-in-again.ts'
import { showToast } from '../components/toast-store.ts'
import { removeEmptyNote } from '../drafts/activity-draft.ts'
import { createStore, useStore } from '../store.ts'
import { appendLink } from './append-link.ts'
import { createUploadQueue } from './upload-queue.ts'
import { browserShelf, createUploadStore, type Upload } from './upload-store.ts'

/** What tabs tell each other: that the uploads have changed, or how much of one is sent. */
type Message = 'changed' | { id: string; share: number }

const tabs = new BroadcastChannel('kith.uploads')
const tell = (message: Message) => tabs.postMessage(message)

const store = createUploadStore(browserShelf(), () => tell('changed'))

/** How much of each upload is sent, from 0 to 1. */
const progress = createStore<ReadonlyMap<string, number>>(new Map())

function noteProgress(id: string, share: number): void {
  progress.set(new Map([...progress.get(), [id, share]]))
}

const queue = createUploadQueue({
  uploads: store,
  send: sendBytes,
  // Where the browser has locks, one tab sends at a time. Elsewhere the keys make it safe.
  alone: async (work) => (navigator.locks ? navigator.locks.request('kith.uploads', work) : work()),
  onStored: stored,
  onProgress(id, share) {
    noteProgress(id, share)
    tell({ id, share })
  },
  onSession: (state) => setSessionEnded(state === 'ended'),
})

/** What waits for the file of an upload, such as an open editor. It tells whether it has put a link into its text. */
type Expect = (file: FileObject) => boolean

const expecting = new Map<string, Expect>()

async function stored(upload: Upload, file: FileObject): Promise<void> {
  const isLinked = expecting.get(upload.id)?.(file) ?? false
  expecting.delete(upload.id)
  if (!isLinked) await appendLink(upload, file)
  await refreshFiles(queryClient, upload.slug)
}

/** Sends the waiting uploads now. */
export const sendUploads = queue.send

/** Why uploads wait, until they go on. */
export function useUploadFailure(): string | undefined {
  return useStore(queue.failure)
}

/** Follows the other tabs, sends what waits, and asks before an upload would be lost. Once for the application. */
export function startUploads(): void {
  tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data === 'changed') void store.read()
    else noteProgress(data.id, data.share)
  })
  queue.start()
  window.addEventListener('online', () => void sendUploads())
  window.addEventListener('focus', () => void sendUploads())
  window.addEventListener('beforeunload', (event) => store.hasUnstored() && event.preventDefault())
  // A file that misses its place would be opened in place of the application.
  for (const type of ['dragover', 'drop'] as const) {
    window.addEventListener(type, (event) => event.dataTransfer?.types.includes('Files') && event.preventDefault())
  }
  reportDrafts(() => store.all().length > 0)
}

/** Opens the uploads of the signed-in user. No other user sees them. */
export function openUploads(user: string): void {
  void store.open(user, firstIdAt)
}

/** Removes all uploads of the user that are not stored. */
export async function removeAllUploads(): Promise<void> {
  for (const { id } of store.all()) await store.remove(id)
}

/** Adds files to a record. They are sent as soon as possible. `onFile` is called with each that is stored. */
export function addFiles(to: Pick<Upload, 'slug' | 'owner' | 'into'>, files: readonly File[], onFile?: Expect): void {
  const user = store.user()
  if (user === undefined) return
  for (const file of files) {
    const id = newId(Date.now())
    if (onFile) expecting.set(id, onFile)
    void store.put({ ...to, id, user, name: safeName(file.name), body: file, state: 'waiting' })
  }
}

/** A name that the service takes: systems differ in what they allow. */
function safeName(name: string): string {
  const safe = name.replaceAll(/[\p{Cc}/\\]/gu, '_').trim()
  return safe === '' ? 'file' : [...safe].slice(-255).join('')
}

/** Stops an upload, with a way back. A note that was begun for it alone goes with it. */
export function cancelUpload(upload: Upload): void {
  const { id, slug, owner, into } = upload
  void store.remove(id)
  const isAwaited = store.all().some((one) => one.id !== id && one.into === 'note' && one.owner.id === owner.id)
  const restoreNote = into === 'note' && !isAwaited ? removeEmptyNote(slug, owner.id) : undefined
  const undo = () => {
    restoreNote?.()
    void store.put({ ...upload, id: newId(Date.now()), state: 'waiting' })
  }
  showToast({ message: `Cancelled the upload of ${upload.name}`, undo })
}

/** Sends an upload again that was refused. */
export function repeatUpload({ problem: _problem, ...upload }: Upload): void {
  void store.put({ ...upload, state: 'waiting' })
}

/** All uploads of the user that are not stored. */
export function useUploads(): readonly Upload[] {
  return useSyncExternalStore(store.listen, store.all)
}

/** Those of one record. */
export function useUploadsOf(slug: string, { type, id }: { type: string; id: string }): readonly Upload[] {
  const all = useUploads()
  return useMemo(
    () => all.filter((one) => one.slug === slug && one.owner.type === type && one.owner.id === id),
    [all, slug, type, id],
  )
}

export function useProgress({ id }: Upload): number | undefined {
  return useStore(progress).get(id)
}
