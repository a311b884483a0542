import type { Db } from '../engines/engine.ts'
import { fixed, fixedOutcome } from '../engines/fixed.ts'

const workspaces = fixed<{ id: string }>(`
  select w.id from workspaces w where w.slug = ?
  and not exists (select 1 from domain_joins d where d.workspace_id = w.id and d.user_id = ?)`)

/** The workspace with this slug, unless the user has joined it by domain before. */
export async function findUnjoined(db: Db, userId: string, slug: string): Promise<string | undefined> {
  return (await workspaces(db, [slug, userId]))[0]?.id
}

const joined = fixedOutcome(`
  insert into domain_joins (workspace_id, user_id, created_at) values (?, ?, ?) on conflict do nothing`)

/** False when another sign-in was first. */
export async function insertDomainJoin(
  inside: Db,
  { workspace_id, user_id, at }: { workspace_id: string; user_id: string; at: string },
): Promise<boolean> {
  return (await joined(inside, [workspace_id, user_id, at])).affected > 0
}
