import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Engine, Snapshot } from '../storage/engines/engine.ts'
import { loadApplied, refuseNewer } from '../storage/migrations/migrate.ts'
import { BACKUP_FORMAT, GZIP_MAGIC, type RowCounts } from './backup-file.ts'
import { ENCRYPTED_MAGIC, encryptFor } from './encryption.ts'
import { refuseFile } from './refuse-file.ts'

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
      const lines = Readable.from(signed(linesOf(snapshot, head, counts)), { objectMode: true, highWaterMark: 4 })
      // It holds password hashes and all records: only its owner may read it.
      await pipeline(lines, createGzip({ level: 4 }), encrypt, createWriteStream(draft, { mode: 0o600, flush: true }))
      return head.migrations
    })
    const { size: bytes } = await stat(draft)
    await rename(draft, path)
    const rows = [...counts.values()].reduce((sum, count) => sum + count, 0)
    return { tables: Object.fromEntries(counts), rows, bytes, migrations }
  } finally {
    await rm(draft, { force: true })
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

async function* linesOf(snapshot: Snapshot, head: object, counts: Map<string, number>): AsyncGenerator<string> {
  yield `${JSON.stringify(head)}\n`
  for (const table of snapshot.tables) {
    yield `${JSON.stringify({ table: table.name, columns: table.columns.map((column) => column.name) })}\n`
    let count = 0
    let chunk = ''
    for await (const row of snapshot.rows(table)) {
      chunk += `${JSON.stringify(row)}\n`
      count++
      if (chunk.length < CHUNK_CHARACTERS) continue
      yield chunk
      chunk = ''
    }
    if (chunk !== '') yield chunk
    counts.set(table.name, count)
  }
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0)
  yield JSON.stringify({ rows })
}

/** Yields every piece, and adds the checksum of all pieces before it to the last one. */
async function* signed(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let last: string | undefined
  for await (const piece of pieces) {
    if (last !== undefined) {
      const bytes = Buffer.from(last)
      hash.update(bytes)
      yield bytes
    }
    last = piece
  }
  const end = { ...JSON.parse(last ?? '{}'), sha256: hash.digest('hex') }
  yield Buffer.from(`${JSON.stringify(end)}\n`)
}
