import type { FileObject } from '@kith/contract/file'
import { KithError } from '@kith/sdk'
import type { sendBytes } from '../api/send-bytes.ts'
import { createStore } from '../store.ts'
import type { Upload, UploadStore } from './upload-store.ts'

/** The wait before the next attempt while the service does not answer: 1, 2, 4 … 30 seconds. */
const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 30_000

type Surroundings = {
  uploads: UploadStore
  send: typeof sendBytes
  /** Does the work while no other tab does. */
  alone(work: () => Promise<void>): Promise<void>
  onStored(upload: Upload, file: FileObject): Promise<void>
  onProgress(id: string, share: number): void
  onSession(state: 'open' | 'ended'): void
}

/** Sends the waiting uploads of a tab, one after the other, until the service has stored or refused each of them. */
export function createUploadQueue({ uploads, send, alone, onStored, onProgress, onSession }: Surroundings) {
  /** Why the queue waits, until it goes on. */
  const failure = createStore<string | undefined>(undefined)
  let attempts = 0
  let running = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let sending: { id: string; ending: AbortController } | undefined

  const next = () => uploads.all().find(({ state }) => state === 'waiting')

  async function sendWaiting(): Promise<void> {
    if (running || !next()) return
    running = true
    clearTimeout(timer)
    timer = undefined
    try {
      await alone(sendAll)
    } finally {
      running = false
    }
    // One that was added while the last one was finished.
    if (timer === undefined) await sendWaiting()
  }

  async function sendAll(): Promise<void> {
    // Another tab may have sent some of them while this one waited for its turn.
    await uploads.read()
    for (let upload = next(); upload; upload = next()) {
      try {
        await sendOne(upload)
        setFailure(undefined)
        onSession('open')
      } catch (error) {
        // It was cancelled, and there is nothing to wait for.
        if (uploads.at(upload.id)) return waitAfter(error)
      }
    }
  }

  async function sendOne(upload: Upload): Promise<void> {
    const { id, slug, owner, name, body } = upload
    const ending = new AbortController()
    sending = { id, ending }
    try {
      const file = await send<FileObject>({
        method: 'POST',
        path: `/w/${slug}/v1/${owner.type}/${owner.id}/files?name=${encodeURIComponent(name)}`,
        body,
        headers: { 'Content-Type': body.type || 'application/octet-stream', 'Idempotency-Key': id },
        signal: ending.signal,
        onProgress: (share) => onProgress(id, share),
      })
      await onStored(upload, file)
      await uploads.remove(id)
    } catch (error) {
      if (!(error instanceof KithError) || passing.has(error.kind) || error.retry_after !== null) throw error
      await uploads.put({ ...upload, state: 'refused', problem: error.message })
    } finally {
      sending = undefined
    }
  }

  function waitAfter(error: unknown): void {
    const ended = error instanceof KithError && error.kind === 'unauthenticated'
    if (ended) onSession('ended')
    setFailure(
      ended ? 'Your session has ended.' : error instanceof Error ? error.message : 'The service does not answer.',
    )
    const asked = error instanceof KithError && error.retry_after !== null ? error.retry_after * 1000 : 0
    const wait = Math.max(asked, Math.min(FIRST_WAIT_MS * 2 ** attempts, LONGEST_WAIT_MS))
    attempts++
    timer = setTimeout(() => {
      timer = undefined
      void sendWaiting()
    }, wait)
  }

  function setFailure(reason: string | undefined): void {
    if (reason === undefined) attempts = 0
    failure.set(reason)
  }

  // It was cancelled, here or in another tab.
  uploads.listen(() => sending && !uploads.at(sending.id) && sending.ending.abort(new Error('It was cancelled.')))

  return {
    failure,
    /** Sends the waiting uploads now. */
    send: sendWaiting,
    /** Sends uploads as soon as they wait. */
    start: (): void => void uploads.listen(() => timer === undefined && void sendWaiting()),
  }
}

/** Failures that pass: the upload keeps its place in the queue. */
const passing: ReadonlySet<string> = new Set<KithError['kind']>([
  'unreachable',
  'busy',
  'too_slow',
  'rate_limited',
  'server_error',
  'unauthenticated',
])
