import { createHash } from 'node:crypto'
import { createWriteStream, readdirSync, rmSync, statSync } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { fileProblem } from '../scope/error-code.ts'
import type { Engine, Snapshot } from '../storage/engines/engine.ts'
import { loadApplied, refuseNewer } from '../storage/migrations/migrate.ts'
import { BACKUP_FORMAT, GZIP_MAGIC, type RowCounts, refuseFile } from './backup-file.ts'
import { ENCRYPTED_MAGIC, encryptFor } from './encryption.ts'

type Written = { tables: RowCounts; rows: number; bytes: number; migrations: readonly string[] }

const CHUNK_CHARACTERS = 65_536

/**
 * Writes a snapshot of the database into a file, while others keep writing. The file is renamed to its name once it is
 * complete and synced. `recipient`: the file with a public key, for whose owner the backup is encrypted.
 */
export async function writeBackup(
  engine: Engine,
  path: string,
  { now, recipient }: { now: Date; recipient?: string | undefined },
): Promise<Written> {
  const encrypt = recipient === undefined ? (source: AsyncIterable<Buffer>) => source : encryptFor(recipient)
  await refuseForeignFile(path)
  const draft = `${path}.${process.pid}.partial`
  try {
    const counts = new Map<string, number>()
    const migrations = await engine.snapshot(async (snapshot) => {
      const applied = await loadApplied(snapshot.db)
      refuseNewer(applied)
      const head = { kith_backup: BACKUP_FORMAT, made_at: now.toISOString(), migrations: [...applied].sort() }
      const lines = Readable.from(piecesOf(snapshot, head, counts), { objectMode: true, highWaterMark: 4 })
      // It holds password hashes and all records: only its owner may read it.
      await pipeline(lines, createGzip({ level: 4 }), encrypt, createWriteStream(draft, { mode: 0o600, flush: true }))
      return head.migrations
    })
    const { size: bytes } = await stat(draft)
    await rename(draft, path)
    return { tables: Object.fromEntries(counts), rows: sumOf(counts), bytes, migrations }
  } catch (error) {
    const problem = fileProblem(error)
    if (problem === undefined) throw error
    return refuseFile(`${path} cannot be written: ${problem}. Check its folder and the space on the disk.`)
  } finally {
    // What went wrong before says more.
    await rm(draft, { force: true }).catch(() => {})
  }
}

/** A mistyped path must not overwrite another file, such as the database. */
async function refuseForeignFile(path: string): Promise<void> {
  let file: FileHandle
  try {
    file = await open(path)
  } catch {
    return
  }
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0)
    const starts = (magic: Buffer) => buffer.subarray(0, magic.length).equals(magic)
    if (bytesRead === 0 || starts(GZIP_MAGIC) || starts(ENCRYPTED_MAGIC)) return
  } finally {
    await file.close()
  }
  refuseFile(`${path} exists and is not a backup. Choose another name.`)
}

/** The head, the rows of each table, and the end with the checksum of all bytes before it. */
async function* piecesOf(snapshot: Snapshot, head: object, counts: Map<string, number>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const hashed = (text: string) => {
    const bytes = Buffer.from(text)
    hash.update(bytes)
    return bytes
  }
  yield hashed(`${JSON.stringify(head)}\n`)
  for (const table of snapshot.tables) {
    let count = 0
    let chunk = `${JSON.stringify({ table: table.name, columns: table.columns.map((column) => column.name) })}\n`
    for await (const row of snapshot.rows(table)) {
      chunk += `${JSON.stringify(row)}\n`
      count++
      if (chunk.length < CHUNK_CHARACTERS) continue
      yield hashed(chunk)
      chunk = ''
    }
    yield hashed(chunk)
    counts.set(table.name, count)
  }
  yield Buffer.from(`${JSON.stringify({ rows: sumOf(counts), sha256: hash.digest('hex') })}\n`)
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return counts.values().reduce((sum, count) => sum + count, 0)
}

/** The names of backups in a folder: the time at which they were made. They sort by it. */
const NAME = /^kith-\d{8}T\d{6}Z\.kith(\.enc)?$/

/** Whether the path names a folder for many backups, not the file of one. */
export function isBackupFolder(path: string): boolean {
  return path.endsWith('/') || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

export function backupIn(folder: string, now: Date, isEncrypted: boolean): string {
  const moment = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return join(folder, `kith-${moment}.kith${isEncrypted ? '.enc' : ''}`)
}

/** Deletes all but the latest backups. Files with other names stay. Returns the names of the deleted ones. */
export function pruneBackups(folder: string, keep: number): string[] {
  const names = readdirSync(folder).filter((name) => NAME.test(name))
  const old = names.sort().slice(0, -keep)
  for (const name of old) rmSync(join(folder, name), { force: true })
  return old
}
