import { DISK_FULL, StorageTrouble } from '../../../scope/storage-trouble.ts'

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
