import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { ContentStore } from '../contents/content-store.ts'
import type { Engine, Snapshot } from '../storage/engines/engine.ts'
import { fileProblem } from '../storage/engines/storage-trouble.ts'
import { foreignOrigin, loadApplied } from '../storage/migrations/migrate.ts'
import { CONTENTS, type ContentCounts, contentRows } from './contents.ts'
import {
  BACKUP_FORMAT,
  type BackupHead,
  ENCRYPTED_MAGIC,
  encryptFor,
  GZIP_MAGIC,
  type RowCounts,
  refuseFile,
} from './encryption.ts'

const CHUNK_CHARACTERS = 65_536

/** `store`: where the contents of files are; without it they are left out. */
type BackupOptions = {
  now: Date
  recipient?: string | undefined
  force?: boolean
  store?: ContentStore | undefined
}

type Written = { tables: RowCounts; rows: number; bytes: number; migrations: readonly string[] } & ContentCounts

/**
 * Writes a snapshot of the database to a file, while others keep writing. The file is renamed once complete and synced.
 * `recipient` is the file with the public key for encryption. `force` overwrites an older backup.
 */
export async function writeBackup(
  engine: Engine,
  path: string,
  { now, recipient, force = false, store }: BackupOptions,
): Promise<Written> {
  const encrypt = recipient === undefined ? (source: AsyncIterable<Buffer>) => source : encryptFor(recipient)
  await refuseExisting(path, force)
  const draft = `${path}.${process.pid}.partial`
  try {
    const counts = new Map<string, number>()
    const found: ContentCounts = { contents: 0, missing: 0 }
    const migrations = await engine.snapshot(async (snapshot) => {
      const applied = await loadApplied(snapshot.db)
      const origin = foreignOrigin([...applied])
      if (origin) refuseFile(`The database was migrated by ${origin.version}. ${origin.remedy}`)
      const without = store ? {} : ({ without_files: true } as const)
      const migrations = [...applied].sort()
      const head: BackupHead = { kith_backup: BACKUP_FORMAT, made_at: now.toISOString(), migrations, ...without }
      const tables = tablesOf(snapshot, counts)
      const contents = store && contentsOf(contentRows(snapshot.db, store, found), counts)
      const lines = Readable.from(piecesOf(head, [tables, contents ?? []], counts), {
        objectMode: true,
        highWaterMark: 4,
      })
      // The file contains password hashes and all records, so only its owner may read it.
      await pipeline(lines, createGzip({ level: 4 }), encrypt, createWriteStream(draft, { mode: 0o600, flush: true }))
      return head.migrations
    })
    const { size: bytes } = await stat(draft)
    // Another backup may have been written meanwhile. A hard link would be safer, but not all disks have them.
    await refuseExisting(path, force)
    await rename(draft, path)
    counts.delete(CONTENTS.table)
    return { tables: Object.fromEntries(counts), rows: sumOf(counts), bytes, migrations, ...found }
  } catch (error) {
    const problem = fileProblem(error)
    if (problem === undefined) throw error
    return refuseFile(`${path} cannot be written: ${problem}. Check its folder and the space on the disk.`)
  } finally {
    // An earlier error is more useful than this one.
    await rm(draft, { force: true }).catch(() => {})
  }
}

/** A backup may be the only copy of its data, and a mistyped path must never overwrite a file that is not a backup. */
async function refuseExisting(path: string, force: boolean): Promise<void> {
  if (!existsSync(path)) return
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0)
    const starts = (magic: Buffer) => buffer.subarray(0, magic.length).equals(magic)
    if (bytesRead > 0 && !starts(GZIP_MAGIC) && !starts(ENCRYPTED_MAGIC)) {
      refuseFile(`${path} exists and is not a backup. Choose another name.`)
    }
    if (!force) refuseFile(`${path} exists. Choose another name, or add --force to overwrite it.`)
  } finally {
    await file.close()
  }
}

/** The head, all parts, and the end with the checksum of all bytes before it. */
async function* piecesOf(
  head: BackupHead,
  parts: readonly (AsyncIterable<string> | Iterable<string>)[],
  counts: ReadonlyMap<string, number>,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const hashed = (text: string) => {
    const bytes = Buffer.from(text)
    hash.update(bytes)
    return bytes
  }
  yield hashed(`${JSON.stringify(head)}\n`)
  for (const part of parts) for await (const text of part) yield hashed(text)
  yield Buffer.from(`${JSON.stringify({ rows: sumOf(counts), sha256: hash.digest('hex') })}\n`)
}

async function* tablesOf(snapshot: Snapshot, counts: Map<string, number>): AsyncGenerator<string> {
  for (const table of snapshot.tables) {
    let count = 0
    let chunk = `${JSON.stringify({ table: table.name, columns: table.columns.map((column) => column.name) })}\n`
    for await (const row of snapshot.rows(table)) {
      chunk += `${JSON.stringify(row)}\n`
      count++
      if (chunk.length < CHUNK_CHARACTERS) continue
      yield chunk
      chunk = ''
    }
    yield chunk
    counts.set(table.name, count)
  }
}

async function* contentsOf(rows: AsyncIterable<readonly unknown[]>, counts: Map<string, number>) {
  yield `${JSON.stringify(CONTENTS)}\n`
  for await (const row of rows) {
    counts.set(CONTENTS.table, (counts.get(CONTENTS.table) ?? 0) + 1)
    yield `${JSON.stringify(row)}\n`
  }
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return counts.values().reduce((sum, count) => sum + count, 0)
}

/** The names of backups in a folder contain the time at which they were made, so they sort by time. */
const NAME = /^kith-\d{8}T\d{6}Z\.kith(\.enc)?$/

/** Whether the path names a folder for many backups, not a single file. */
export function isBackupFolder(path: string): boolean {
  return path.endsWith('/') || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

export function backupIn(folder: string, now: Date, isEncrypted: boolean): string {
  const moment = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return join(folder, `kith-${moment}.kith${isEncrypted ? '.enc' : ''}`)
}

/** Deletes all but the latest backups. Files with other names stay. Returns the names of the deleted backups. */
export function deleteOldBackups(folder: string, keep: number): string[] {
  const names = readdirSync(folder).filter((name) => NAME.test(name))
  const old = names.sort().slice(0, -keep)
  for (const name of old) rmSync(join(folder, name), { force: true })
  return old
}
