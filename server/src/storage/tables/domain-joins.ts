import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'

/** The workspace with this slug, unless the user has joined it by domain before. */
export function findUnjoined(db: Db, userId: string, slug: string): Promise<string | undefined> {
  return sql<string>`select w.id from workspaces w where w.slug = ${slug}
    and not exists (select 1 from domain_joins d where d.workspace_id = w.id and d.user_id = ${userId})`.value(db)
}

/** False when another sign-in of the user was first. */
export async function insertDomainJoin(
  inside: Db,
  { workspace_id, user_id, at }: { workspace_id: string; user_id: string; at: string },
): Promise<boolean> {
  const inserted = await sql`insert into domain_joins (workspace_id, user_id, created_at)
    values (${workspace_id}, ${user_id}, ${at}) on conflict do nothing`.run(inside)
  return inserted > 0
}
