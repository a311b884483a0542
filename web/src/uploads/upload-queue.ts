import type { FileObject } from '@kith/contract/file'
import type { sendBytes } from '../api/send-bytes.ts'
import { createSendingQueue, isRefused } from '../api/sending-queue.ts'
import type { Upload, UploadStore } from './upload-store.ts'

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
  let sending: { id: string; ending: AbortController } | undefined

  const next = () => uploads.all().find(({ state }) => state === 'waiting')

  const queue = createSendingQueue({
    next,
    send: sendOne,
    // One that was cancelled is gone, and there is nothing to wait for.
    isWaiting: ({ id }) => uploads.at(id) !== undefined,
    // Another tab may have sent some of them while this one waited for its turn.
    alone: (work) => alone(() => uploads.read().then(work)),
    onSession,
  })

  async function sendOne(upload: Upload): Promise<void> {
    const { id, slug, owner, name, body } = upload
    if (body.size === 0) return refuse(upload, 'The file is empty.')
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
      if (!isRefused(error)) throw error
      await refuse(upload, error.message)
    } finally {
      sending = undefined
    }
  }

  async function refuse(upload: Upload, problem: string): Promise<void> {
    await uploads.put({ ...upload, state: 'refused', problem })
  }

  // It was cancelled, here or in another tab.
  uploads.listen(() => sending && !uploads.at(sending.id) && sending.ending.abort(new Error('It was cancelled.')))

  return {
    failure: queue.failure,
    send: queue.send,
    /** Sends uploads as soon as they wait. */
    start: (): void => void uploads.listen(queue.sendUnlessPaused),
  }
}
