import { refuse } from '@kith/contract/refusal'

/** The first line of a backup. Then for each table: its head, and its rows as lists. */
export type BackupHead = {
  kith_backup: number
  made_at: string
  /** The migrations that were applied to the database. */
  migrations: readonly string[]
}

export type TableHead = { table: string; columns: readonly string[] }

/** The last line: how many rows there are, and the SHA-256 of all bytes before it. */
export type BackupEnd = { rows: number; sha256: string }

/** How many rows of each table. */
export type RowCounts = Readonly<Record<string, number>>

/** The version of the format: lines of JSON, compressed with gzip. */
export const BACKUP_FORMAT = 1

export const GZIP_MAGIC = Buffer.from([0x1f, 0x8b])

export function refuseFile(message: string): never {
  refuse({ kind: 'invalid', issues: [{ path: 'file', message }] })
}
