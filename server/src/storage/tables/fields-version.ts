import type { Db } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'

/** The version of a workspace's field definitions in the database. */
export async function loadFieldsVersion(db: Db, workspaceId: string): Promise<number> {
  const version = await sql<number>`select fields_version from workspaces where id = ${workspaceId}`.value(db)
  if (version === undefined) throw new Error('The workspace is gone.')
  return version
}

/** The same as a column of rows that are read, so that both are read at the same moment. */
export function fieldsVersionColumn({ workspace }: { workspace: { id: string } }): Sql<unknown> {
  return sql`(select w.fields_version from workspaces w where w.id = ${workspace.id}) as fields_version`
}

/** The name of the lock that a change of the fields takes alone, and that writers of records share. */
export function fieldsLock(workspaceId: string): string {
  return `fields ${workspaceId}`
}
