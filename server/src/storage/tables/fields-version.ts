import type { Db } from '../engines/engine.ts'
import { fixed } from '../engines/fixed.ts'

const versions = fixed<{ fields_version: number }>('select fields_version from workspaces where id = ?')

/** The version of a workspace's field definitions as the database has it now. */
export async function loadFieldsVersion(db: Db, workspaceId: string): Promise<number> {
  const [row] = await versions(db, [workspaceId])
  if (!row) throw new Error('The workspace is gone.')
  return row.fields_version
}
