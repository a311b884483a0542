import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { isPostgres, sqlitePath } from '../database-url.ts'
import { existingFile } from '../sqlite/file.ts'
import { errcodeOf } from '../sqlite/trouble.ts'

/** Whether a service or a command has the database open. To be asked before it is opened here. */
export function isInUse(url: string): Promise<boolean> | boolean {
  return isPostgres(url) ? isPostgresInUse(url) : isSqliteInUse(sqlitePath(url))
}

const BUSY = 5

/** Only the last connection can leave the write-ahead log. The next one that writes enters it again. */
function isSqliteInUse(path: string): boolean {
  if (!existsSync(path)) return false
  const connection = new DatabaseSync(existingFile(path), { timeout: 0 })
  try {
    connection.exec('pragma journal_mode = delete')
    return false
  } catch (error) {
    if (errcodeOf(error) === BUSY) return true
    throw error
  } finally {
    connection.close()
  }
}

/** A closed connection is listed until its process on the server has ended, which takes a moment. */
const ENDING_MS = 5000
const ASK_AGAIN_MS = 50

async function isPostgresInUse(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const deadline = Date.now() + ENDING_MS
    while (await hasOthers(client)) {
      if (Date.now() > deadline) return true
      await setTimeout(ASK_AGAIN_MS)
    }
    return false
  } finally {
    await client.end()
  }
}

async function hasOthers(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `select 1 from pg_stat_activity
     where datname = current_database() and application_name = 'kith' and pid <> pg_backend_pid() limit 1`,
  )
  return rows.length > 0
}
