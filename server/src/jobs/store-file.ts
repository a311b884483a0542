import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw } from 'node:zlib'
import { newId } from '@kith/contract/id'
import { refuse } from '@kith/contract/refusal'
import type { Runtime, ScopeFacts } from '../scope/scope.ts'
import { deleteFile, pieceTable } from '../storage/tables/jobs.ts'
import type { ExpectedFile, UploadedFile } from './change-job.ts'
import type { ThreadCheck } from './import/check-in-thread.ts'
import type { FileFacts } from './import/encoding.ts'

const PIECE_BYTES = 256 * 1024
const MB = 1024 * 1024
const packed = promisify(deflateRaw)

type Upload = { workspace_id: string; bytes: AsyncIterable<Buffer>; check: ThreadCheck; max_mb: number }

/** Stores a file in pieces while it is received. A refused or incomplete file is deleted. */
export async function storeFile({ engine, now }: Runtime, received: Upload): Promise<UploadedFile> {
  const { workspace_id, check } = received
  const file_id = newId(now().getTime())
  const hash = createHash('sha256')
  let pieces = 0
  try {
    for await (const piece of piecesOf(limited(received))) {
      hash.update(piece)
      await check.write(piece)
      const content = (await packed(piece, { level: 1 })).toString('base64')
      await pieceTable.insert(
        { db: engine.single, workspace: { id: workspace_id } },
        { file_id, piece: pieces, content },
      )
      pieces++
    }
    const facts: FileFacts = await check.end()
    return { file_id, sha256: hash.digest('hex'), rows: facts.rows, facts: JSON.stringify(facts) }
  } catch (error) {
    check.drop()
    if (pieces > 0) await deleteFile(engine, { workspace_id, file_id })
    throw error
  }
}

async function* limited({ bytes, max_mb }: Upload): AsyncGenerator<Buffer> {
  let length = 0
  for await (const some of bytes) {
    length += some.length
    if (length > max_mb * MB) {
      refuse({ kind: 'too_large', message: `The file is larger than ${max_mb} MB. Split it into several files.` })
    }
    yield some
  }
}

async function* piecesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let length = 0
  for await (const some of bytes) {
    for (let from = 0; from < some.length; ) {
      const part = some.subarray(from, from + PIECE_BYTES - length)
      waiting.push(part)
      length += part.length
      from += part.length
      if (length === PIECE_BYTES) {
        yield Buffer.concat(waiting)
        waiting = []
        length = 0
      }
    }
  }
  if (length > 0) yield Buffer.concat(waiting)
}

/** The files of imports, in one database. */
export type FileStore = {
  store(facts: ScopeFacts, received: { bytes: AsyncIterable<Buffer>; expected: ExpectedFile }): Promise<UploadedFile>
  drop(facts: ScopeFacts, file: UploadedFile): Promise<void>
}
