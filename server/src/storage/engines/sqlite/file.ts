import { chmodSync, closeSync, openSync, readSync, type StatOptions, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeFolder } from '../database-url.ts'
import { codeOf, DISK_FULL, StorageTrouble } from '../storage-trouble.ts'

/** The identity of a file, independent of its name. */
export type FileIdentity = { dev: bigint; ino: bigint }

/** The address of a database file that must be there: SQLite itself would create one. */
export function existingFile(path: string): URL {
  const url = pathToFileURL(path)
  url.searchParams.set('mode', 'rw')
  return url
}

const LOG = '-wal'

const OWNER_ONLY = 0o600

const OTHERS = 0o077

/** Creates the file if it is missing. Only its owner may read it; SQLite gives its other files the same mode. */
export function createFile(path: string): void {
  makeFolder(dirname(path))
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  for (const file of [path, path + LOG, `${path}-shm`]) hideFromOthers(file)
}

/** Files of earlier versions could be read by others. */
function hideFromOthers(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile() || (found.mode & OTHERS) === 0) return
  try {
    chmodSync(file, OWNER_ONLY)
  } catch (error) {
    // It belongs to another user, who decides about it.
    if (!['EPERM', 'EROFS'].includes(codeOf(error))) throw error
  }
}

export function identityOf(path: string): FileIdentity | undefined {
  const found = statAt(path)
  return found && { dev: found.dev, ino: found.ino }
}

/** An open database file. Each check throws if it is no longer the same file. */
export type OpenFile = {
  /** That the file is still the one that was opened: one look at its directory entry. */
  check(): void
  /** The same, and that the last commit is in the log of that name. */
  checkCommit(): void
  close(): void
}

/**
 * A file that is removed or replaced while it is open stays usable until it is closed, and is lost then. So it is
 * compared with the file of that name.
 */
export function openFile(path: string, expected: FileIdentity | undefined = identityOf(path)): OpenFile {
  const log = path + LOG
  let ownLog: { identity: FileIdentity; descriptor: number } | undefined
  const first = Buffer.alloc(4)

  function check(committed = false): void {
    const now = statAt(path)
    if (!now) refuseLost(path, 'was removed', committed)
    if (!expected || !isSame(now, expected)) refuseLost(path, 'was replaced by another file', committed)
    if (now.size === 0n) refuseLost(path, 'was emptied', committed)
  }

  return {
    check: () => check(),
    checkCommit() {
      check(true)
      const identity = identityOf(log)
      if (!identity) refuseLost(log, 'was removed', true)
      // No lock is on the log itself, so that it can be opened and closed here.
      ownLog ??= { identity, descriptor: openSync(log, 'r') }
      if (!isSame(identity, ownLog.identity)) refuseLost(log, 'was replaced by another file', true)
      // A truncated log is continued after its old end, and its beginning stays empty. An empty log was not written:
      // SQLite restarted it, or the commit stored the same values, which SQLite counts as changes but does not write.
      const bytes = readSync(ownLog.descriptor, first, 0, 4, 0)
      if (bytes > 0 && (bytes < 4 || first.readUInt32BE() === 0)) refuseLost(log, 'was cut short', true)
    },
    close() {
      if (ownLog) closeSync(ownLog.descriptor)
      ownLog = undefined
    },
  }
}

/** The path is logged, but not sent to callers. */
function refuseLost(file: string, how: string, committed: boolean): never {
  const isLog = file.endsWith(LOG)
  const what = isLog ? 'log' : 'file'
  const remedy = 'until an operator has put it back or restored a backup, and restarted the service'
  const message = `The database ${what} ${how} while the service was running. Nothing is written ${remedy}.`
  throw new StorageTrouble(isLog ? 'damaged' : 'lost', message, { committed, cause: file })
}

/** So little that the next write may fail. */
const SPACE_MIN_BYTES = 64n * 1024n

/** Throws when the disk of the file has no space. */
export function checkSpace(path: string): void {
  const { bavail, bsize } = statfsSync(dirname(path), { bigint: true })
  if (bavail * bsize < SPACE_MIN_BYTES) throw new StorageTrouble('full', DISK_FULL)
}

const BIG: StatOptions & { bigint: true; throwIfNoEntry: false } = { bigint: true, throwIfNoEntry: false }

/** A directory that cannot be read any more has no file either. */
function statAt(path: string) {
  try {
    return statSync(path, BIG)
  } catch {
    return undefined
  }
}

function isSame(one: FileIdentity, other: FileIdentity): boolean {
  return one.dev === other.dev && one.ino === other.ino
}

const FULL = 13

/** The system refused a write for another reason than a full disk: a quota, a limit for files, a disk that fails. */
const WRITE_FAILED = 778

/** There is no space for the index of the log. */
const INDEX_FULL = 4874

/** A file that ends too soon, one that is damaged, and one that is no database. */
const CUT_SHORT = 522

const DAMAGED = new Set([11, 26])

const REFUSED = 'The disk that holds the database cannot be written: it is full, over a limit, or failing.'

const CUT =
  'The database file or its log cannot be read: it was cut short or damaged. ' +
  'Nothing is written until an operator has restored a backup and restarted the service.'

/** The extended result code of an error of SQLite; 0 for any other error. */
export function errcodeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0
}

/** Turns an error of SQLite about the storage into a StorageTrouble. */
export function asTrouble(error: unknown): unknown {
  const errcode = errcodeOf(error)
  if (errcode === FULL || errcode === INDEX_FULL) return new StorageTrouble('full', DISK_FULL, { cause: error })
  if (errcode === WRITE_FAILED) return new StorageTrouble('full', REFUSED, { cause: error })
  const damaged = errcode === CUT_SHORT || DAMAGED.has(errcode & 0xff)
  return damaged ? new StorageTrouble('damaged', CUT, { cause: error }) : error
}
