import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { endianness } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { DatabaseBusy } from '../storage-trouble.ts'
import { createFile, errcodeOf, existingFile, openFile } from './file.ts'
import { beginImmediate } from './transactions.ts'

/*
 * The write-ahead log: a header, then frames. Each frame is a page with its number. The last frame of a transaction has
 * the size of the database after it. Each checksum continues the one before it, and begins with the header. When all
 * pages are in the database file and the log has no reader, the next writer restarts it with other salts.
 */
const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const FORMAT = 3_007_000
const MAGIC = endianness() === 'LE' ? 0x377f0682 : 0x377f0683

/** How much of the log is read at a time. */
const FRAMES_READ = 256

/** The service copies the log into the database at this length too. */
const LOG_FRAMES = 4000

type Pair = readonly [number, number]

/** The end of a transaction in the log. */
export type LogPosition = { salts: Pair; frame: number; checksum: Pair }

/** The transactions after a position: the last version of each page that they changed. */
export type LogPart = {
  position: LogPosition
  /** The size of the database after them, in pages. */
  size: number
  /** Whether the log was restarted after the position. */
  restarted: boolean
  /** The frame of each page. */
  frames: ReadonlyMap<number, number>
}

export type Page = { number: number; bytes: Buffer }

/** A log that is being copied. While it is open, no frame leaves the log before it was read. */
export type FollowedLog = {
  page_size: number
  /** The transactions after a position; undefined if there are none. Throws `LogLost` if some may have left the log. */
  read(after: LogPosition | undefined): LogPart | undefined
  /** The pages of a part. They can be read until the next call of `release`. */
  pages(part: LogPart): Iterable<Page>
  /** What was read may leave the log. */
  release(): void
  /**
   * Lets the log begin again if it is long. `take` reads what is left while writers wait: what it returns has to be
   * complete in memory.
   */
  restart<T>(take: () => T): Promise<T | undefined>
  /** Reads the database file itself, which others change meanwhile. Less than asked for is the end. */
  readDatabase(into: Buffer, at: number): number
  close(): void
}

/** What was committed after the position may have left the log. A copy has to begin again. */
export class LogLost extends Error {}

/** Another process copies this log already. */
export class LogFollowed extends Error {}

/**
 * Follows the log of a database while others write. There is always a read transaction. One that needs the log keeps
 * it from being restarted. One that began when all pages were in the database file keeps others from copying newer
 * pages there, so that the log can be restarted once, after frames that were all read before.
 */
export function followLog(path: string): FollowedLog {
  const alone = lockOut(path)
  const file = openFile(path)
  const writer = new DatabaseSync(existingFile(path))
  writer.exec('pragma journal_mode = wal')
  const copier = new DatabaseSync(existingFile(path))
  const readers = [newReader(path), newReader(path)] as const
  // Closing it ends all locks that this process has on the file, so it stays open until the end.
  const database = openSync(path, 'r')
  let current = 0
  hold(readers[0])
  const page_size = Number(readers[0].prepare('pragma page_size').get()?.page_size)
  let reading: number | undefined
  /** Whether a part was read since the first read transaction began. */
  let isFollowing = false
  /** The last frame that was read. */
  let length = 0

  /** There is never a moment without a read transaction. */
  function release(): void {
    const next = 1 - current
    hold(readers[next === 0 ? 0 : 1])
    readers[current === 0 ? 0 : 1].exec('commit')
    current = next
    if (reading !== undefined) closeSync(reading)
    reading = undefined
  }

  /** As far as no reader needs what is there. */
  function copyToDatabase(): void {
    copier.prepare('pragma wal_checkpoint(passive)').get()
  }

  return {
    page_size,
    read(after) {
      file.check()
      if (reading !== undefined) closeSync(reading)
      reading = openLog(path)
      const part = reading === undefined ? undefined : readPart(reading, { after, page_size, isFollowing })
      if (reading === undefined && after) throw new LogLost('The log is gone.')
      isFollowing = true
      length = part?.position.frame ?? after?.frame ?? 0
      return part
    },
    *pages({ frames }) {
      for (const [number, frame] of frames) {
        const bytes = Buffer.allocUnsafe(page_size)
        const at = HEADER_BYTES + (frame - 1) * (FRAME_HEADER_BYTES + page_size) + FRAME_HEADER_BYTES
        if (reading === undefined || readSync(reading, bytes, 0, page_size, at) < page_size) {
          throw new LogLost('The log was cut short.')
        }
        yield { number, bytes }
      }
    },
    release,
    async restart(take) {
      if (length < LOG_FRAMES) return undefined
      // Most of the work, while others write.
      copyToDatabase()
      try {
        await beginImmediate(writer)
      } catch (error) {
        // Somebody writes for long. It is tried again later.
        if (error instanceof DatabaseBusy) return undefined
        throw error
      }
      try {
        const taken = take()
        release()
        copyToDatabase()
        release()
        return taken
      } finally {
        writer.exec('rollback')
      }
    },
    readDatabase: (into, at) => readSync(database, into, 0, into.length, at),
    close() {
      if (reading !== undefined) closeSync(reading)
      // The last connection to close removes the log if it can write. A start would then have to copy everything.
      writer.close()
      copier.close()
      for (const reader of readers) reader.close()
      closeSync(database)
      alone.close()
    },
  }
}

/** Two processes that copy to one place would disturb each other. The lock ends with the process. */
function lockOut(path: string): DatabaseSync {
  const name = `${path}-continuous`
  createFile(name)
  const lock = new DatabaseSync(existingFile(name))
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    if (errcodeOf(error) !== BUSY) throw error
    throw new LogFollowed(`Another process makes a continuous backup of ${path} already.`)
  }
  return lock
}

const BUSY = 5

function newReader(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true })
}

/** A transaction begins to read with its first statement. */
function hold(reader: DatabaseSync): void {
  reader.exec('begin')
  reader.prepare('select 1 from sqlite_schema').get()
}

/** No lock is on the log itself, so that it can be opened and closed. */
function openLog(path: string): number | undefined {
  try {
    return openSync(`${path}-wal`, 'r')
  } catch {
    return undefined
  }
}

type Where = { after: LogPosition | undefined; page_size: number; isFollowing: boolean }

function readPart(log: number, { after, page_size, isFollowing }: Where): LogPart | undefined {
  const { size: bytes } = fstatSync(log)
  const header = readHeader(log, page_size)
  if (!header) {
    // An empty log was not begun. Otherwise its header is being written at the moment.
    if (after && bytes === 0) throw new LogLost('The log was emptied.')
    return undefined
  }
  const restarted = after !== undefined && !isSame(header.salts, after.salts)
  if (restarted && !(isFollowing && header.salts[0] === (after.salts[0] + 1) >>> 0)) {
    throw new LogLost('The log was restarted.')
  }
  const from = after && !restarted ? after : { salts: header.salts, frame: 0, checksum: header.checksum }
  if (from.frame > 0) checkPosition(log, from, page_size)
  const found = readFrames(log, { from, page_size, bytes })
  return found && { ...found, restarted }
}

function readHeader(log: number, page_size: number): { salts: Pair; checksum: Pair } | undefined {
  const header = Buffer.alloc(HEADER_BYTES)
  if (readSync(log, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined
  const checksum: Pair = [header.readUInt32BE(24), header.readUInt32BE(28)]
  if (header.readUInt32BE(0) !== MAGIC) return undefined
  if (!isSame(checksum, continued([0, 0], wordsOf(header), 0, 6))) return undefined
  if (header.readUInt32BE(4) !== FORMAT || header.readUInt32BE(8) !== page_size) {
    throw new Error('The log of the database has another format.')
  }
  return { salts: [header.readUInt32BE(16), header.readUInt32BE(20)], checksum }
}

/** After a power failure, or a commit that failed, other frames may be at the position. */
function checkPosition(log: number, { salts, frame, checksum }: LogPosition, page_size: number): void {
  const head = Buffer.alloc(FRAME_HEADER_BYTES)
  readSync(log, head, 0, FRAME_HEADER_BYTES, HEADER_BYTES + (frame - 1) * (FRAME_HEADER_BYTES + page_size))
  const isThere =
    isSame([head.readUInt32BE(8), head.readUInt32BE(12)], salts) &&
    isSame([head.readUInt32BE(16), head.readUInt32BE(20)], checksum)
  if (!isThere) throw new LogLost('The log ends before the last position, or continues with other pages.')
}

/** Reads to the end of the last transaction that was complete when this began. */
function readFrames(
  log: number,
  { from, page_size, bytes }: { from: LogPosition; page_size: number; bytes: number },
): Omit<LogPart, 'restarted'> | undefined {
  const frameBytes = FRAME_HEADER_BYTES + page_size
  const last = Math.floor((bytes - HEADER_BYTES) / frameBytes)
  const frames = new Map<number, number>()
  const open = new Map<number, number>()
  let { checksum } = from
  let end: Omit<LogPart, 'restarted'> | undefined
  const chunk = Buffer.from(new ArrayBuffer(FRAMES_READ * frameBytes))
  const words = wordsOf(chunk)
  for (let frame = from.frame + 1; frame <= last; ) {
    const wanted = Math.min(FRAMES_READ, last - frame + 1) * frameBytes
    const count = Math.floor(readSync(log, chunk, 0, wanted, HEADER_BYTES + (frame - 1) * frameBytes) / frameBytes)
    if (count === 0) break
    for (let index = 0; index < count; index++, frame++) {
      const at = index * frameBytes
      if (!isSame([chunk.readUInt32BE(at + 8), chunk.readUInt32BE(at + 12)], from.salts)) return end
      const word = at / 4
      checksum = continued(checksum, words, word, word + 2)
      checksum = continued(checksum, words, word + FRAME_HEADER_BYTES / 4, word + frameBytes / 4)
      if (!isSame([chunk.readUInt32BE(at + 16), chunk.readUInt32BE(at + 20)], checksum)) return end
      open.set(chunk.readUInt32BE(at), frame)
      const size = chunk.readUInt32BE(at + 4)
      if (size === 0) continue
      for (const [page, latest] of open) frames.set(page, latest)
      open.clear()
      end = { position: { salts: from.salts, frame, checksum }, size, frames }
    }
  }
  return end
}

/** In the byte order of the machine, as SQLite has them. */
function wordsOf({ buffer, byteOffset, length }: Buffer): Uint32Array {
  // The offset of small buffers is a multiple of 8.
  return new Uint32Array(buffer, byteOffset, length / 4)
}

function continued([first, second]: Pair, words: Uint32Array, from: number, to: number): Pair {
  let one = first
  let two = second
  for (let at = from; at < to; at += 2) {
    // Both are in the range, so that a word is always there.
    one = (one + (words[at] as number) + two) | 0
    two = (two + (words[at + 1] as number) + one) | 0
  }
  return [one >>> 0, two >>> 0]
}

function isSame(one: Pair, other: Pair): boolean {
  return one[0] === other[0] && one[1] === other[1]
}
