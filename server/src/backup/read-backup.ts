import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Refusal } from '@kith/contract/refusal'
import { codeOf, fileProblem } from '../storage/engines/storage-trouble.ts'
import { CONTENTS, type ContentCounts, hasHash, readContents } from './contents.ts'
import {
  BACKUP_FORMAT,
  type BackupEnd,
  type BackupHead,
  type BackupLine,
  decrypted,
  isEncrypted,
  type RowCounts,
  refuseFile,
  type TableHead,
} from './encryption.ts'

/**
 * Yields the lines of a backup. Yields the last line only if the checksum of all lines before it matches. `key` is the
 * file with the private key of an encrypted backup.
 */
export async function* readBackup(path: string, key?: string): AsyncGenerator<BackupLine> {
  const hash = createHash('sha256')
  let rows = 0
  let number = 0
  let end: BackupEnd | undefined
  for await (const bytes of linesIn(path, key)) {
    const line = parseLine(path, bytes, number++)
    if (end !== undefined) refuseDamaged(path)
    if ('end' in line) {
      end = line.end
      continue
    }
    if ('row' in line) rows++
    hash.update(bytes)
    hash.update('\n')
    yield line
  }
  if (end?.sha256 !== hash.digest('hex') || end.rows !== rows) refuseDamaged(path)
  yield { end }
}

/** A record is never larger than a few megabytes. */
const LINE_MAX_BYTES = 64 * 1024 * 1024
const NEWLINE = 0x0a

async function* linesIn(path: string, key: string | undefined): AsyncGenerator<Buffer> {
  const source = sourceOf(path, key)
  const unpacked = source.pipe(createGunzip())
  source.on('error', (error) => unpacked.destroy(error))
  let rest: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of unpacked) {
      // The stream yields buffers, but its type does not say so.
      const bytes = chunk as Buffer
      let start = 0
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, start)) {
        yield Buffer.concat([...rest, bytes.subarray(start, at)])
        rest = []
        length = 0
        start = at + 1
      }
      rest.push(bytes.subarray(start))
      length += bytes.length - start
      if (length > LINE_MAX_BYTES) refuseForeign(path)
    }
  } catch (error) {
    refuseIfUnreadable(path, error)
    if (key !== undefined && !(error instanceof Refusal)) {
      refuseFile(`${path} is damaged, or is encrypted for another key. Nothing was restored.`)
    }
    if (error instanceof Error && error.message === 'incorrect header check') refuseForeign(path)
    if (codeOf(error).startsWith('Z_')) refuseDamaged(path)
    throw error
  } finally {
    source.destroy()
    unpacked.destroy()
  }
  if (length > 0) refuseDamaged(path)
}

function sourceOf(path: string, key: string | undefined): Readable {
  try {
    if (!isEncrypted(path)) return createReadStream(path)
  } catch (error) {
    refuseIfUnreadable(path, error)
    throw error
  }
  if (key === undefined) refuseFile(`${path} is encrypted. Give the file with the private key: --key FILE.`)
  return Readable.from(decrypted(path, key), { objectMode: false })
}

function parseLine(path: string, bytes: Buffer, number: number): BackupLine {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString())
  } catch {
    return number === 0 ? refuseForeign(path) : refuseDamaged(path)
  }
  if (number === 0) return { head: parseHead(path, value) }
  if (Array.isArray(value)) return { row: value }
  if (typeof value !== 'object' || value === null) return refuseDamaged(path)
  // The checksum is verified before anything is committed, so the lines are unchanged.
  if ('table' in value) return { table: value as TableHead }
  return 'sha256' in value ? { end: value as BackupEnd } : refuseDamaged(path)
}

function parseHead(path: string, value: unknown): BackupHead {
  if (typeof value !== 'object' || value === null || !('kith_backup' in value)) return refuseForeign(path)
  if (value.kith_backup !== BACKUP_FORMAT) {
    refuseFile(
      `${path} is a backup in another format (${value.kith_backup}). Restore it with the version that made it.`,
    )
  }
  // The checksum covers the rest, as above.
  return value as BackupHead
}

export function refuseDamaged(path: string): never {
  refuseFile(`${path} is damaged or incomplete. Nothing was restored.`)
}

function refuseForeign(path: string): never {
  refuseFile(`${path} is not a backup of Kith.`)
}

function refuseIfUnreadable(path: string, error: unknown): void {
  const problem = fileProblem(error)
  if (problem !== undefined) refuseFile(`${path} cannot be read: ${problem}. Check the path and its permissions.`)
}

type Verified = { made_at: string; tables: RowCounts; rows: number; without_files: boolean } & ContentCounts

/** Reads a whole backup without restoring it: every line, the hash of every content, and the checksum over all. */
export async function verifyBackup(path: string, key?: string): Promise<Verified> {
  const counts: Record<string, number> = {}
  const found = { made_at: '', without_files: false, contents: 0, missing: 0 }
  let table = ''
  const lines = readBackup(path, key)
  for await (const line of lines) {
    if ('head' in line)
      Object.assign(found, { made_at: line.head.made_at, without_files: line.head.without_files === true })
    else if ('table' in line && line.table.table === CONTENTS.table) {
      Object.assign(found, await readContents(lines, hasHash, () => refuseDamaged(path)))
    } else if ('table' in line) {
      table = line.table.table
      counts[table] = 0
    } else if ('row' in line) counts[table] = (counts[table] ?? 0) + 1
  }
  return { ...found, tables: counts, rows: Object.values(counts).reduce((sum, count) => sum + count, 0) }
}
