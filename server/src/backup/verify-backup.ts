import type { RowCounts } from './backup-file.ts'
import { readBackup } from './read-backup.ts'

type Verified = { made_at: string; tables: RowCounts; rows: number }

/** Reads a whole backup without restoring it: every line, and the checksum over all of them. */
export async function verifyBackup(path: string, key?: string): Promise<Verified> {
  const counts: Record<string, number> = {}
  let made_at = ''
  let table = ''
  let rows = 0
  for await (const line of readBackup(path, key)) {
    if ('head' in line) made_at = line.head.made_at
    else if ('table' in line) {
      table = line.table.table
      counts[table] = 0
    } else if ('row' in line) counts[table] = (counts[table] ?? 0) + 1
    else rows = line.end.rows
  }
  return { made_at, tables: counts, rows }
}
