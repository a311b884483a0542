/** The first line of a backup. What follows it is a table's head, its rows as lists, and the next table's head. */
export type BackupHead = {
  kith_backup: number
  made_at: string
  /** Which migrations the database had seen. */
  migrations: readonly string[]
}

export type TableHead = { table: string; columns: readonly string[] }

/** The last line: how many rows there are, and the SHA-256 of all bytes before it. */
export type BackupEnd = { rows: number; sha256: string }

/** How many rows of each table. */
export type RowCounts = Readonly<Record<string, number>>

/** The number of the format. Whoever reads it finds gzip around lines of JSON. */
export const BACKUP_FORMAT = 1

export const GZIP_MAGIC = Buffer.from([0x1f, 0x8b])
