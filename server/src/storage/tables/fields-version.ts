import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

/** The version of a workspace's field definitions in the database. */
export async function loadFieldsVersion(db: Db, workspaceId: string): Promise<number> {
  const row = await sql<{
    fields_version: number
  }>`select fields_version from workspaces where id = ${workspaceId}`.one(db)
  if (!row) throw new Error('The workspace is gone.')
  return row.fields_version
}

/** The name of the lock that a change of the fields takes alone, and that writers of records share. */
export function fieldsLock(workspaceId: string): string {
  return `fields ${workspaceId}`
}
