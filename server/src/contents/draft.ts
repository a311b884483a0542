import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '@kith/contract/id'
import { refuse, refuseValue } from '@kith/contract/refusal'
import { codeOf } from '../storage/engines/storage-trouble.ts'
import type { ContentStore, Draft } from './content-store.ts'

const MB = 1024 * 1024

/**
 * Writes bytes to a draft while they are received, and takes them over: they cannot be read afterwards. A refused or
 * incomplete draft is deleted.
 */
export async function writeDraft(
  { drafts }: Pick<ContentStore, 'drafts'>,
  bytes: AsyncIterable<Uint8Array>,
  { max_mb, now, empty = false }: { max_mb: number; now: Date; empty?: boolean },
): Promise<Draft> {
  return whileThereIsSpace(async () => {
    await mkdir(drafts, { recursive: true, mode: 0o700 })
    const path = join(drafts, newId(now.getTime()))
    const hash = createHash('sha256')
    let size = 0
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const some of bytes) {
        size += some.length
        if (size > max_mb * MB) refuseLarge(max_mb)
        hash.update(some)
        await file.writeFile(some)
        free(some)
      }
      if (size === 0 && !empty) refuseValue('file', 'The file is empty. Send its bytes as the body of the request.')
      await file.sync()
      return { path, sha256: hash.digest('hex'), size }
    } catch (error) {
      await rm(path, { force: true })
      throw error
    } finally {
      await file.close()
    }
  })
}

/**
 * Frees the memory of a piece at once. The garbage collector would do so after 64 MB. A piece that shares its memory
 * with others is left alone.
 */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) structuredClone(buffer, { transfer: [buffer] })
}

/** Refuses a file that says that it is too large, before it is received. */
export function refuseLargeFile(length: number, max_mb: number): void {
  if (length > max_mb * MB) refuseLarge(max_mb)
}

function refuseLarge(max_mb: number): never {
  refuse({ kind: 'too_large', message: `The file is too large: at most ${max_mb} MB are accepted.` })
}

/** A full disk is not a bug: the upload can be repeated once there is space. */
export async function whileThereIsSpace<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes(codeOf(error))) throw error
    const message = 'There is no space left on the disk that holds the files. Nothing was stored.'
    return refuse({ kind: 'busy', message, retry_after: 10 })
  }
}

/** Deletes the drafts of uploads that were interrupted before a time. */
export async function removeDrafts({ drafts }: Pick<ContentStore, 'drafts'>, before: Date): Promise<void> {
  const names = await readdir(drafts).catch(() => [])
  for (const name of names) {
    const path = join(drafts, name)
    const found = await stat(path).catch(() => undefined)
    if (found && found.mtime < before) await rm(path, { force: true })
  }
}
