import type { Tenant } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import { workspaceTable } from './table.ts'

type Follow = { user_id: string; record_id: string }

/** What members have said by hand: `following` is 0 or 1. */
export const followTable = workspaceTable<Follow & { following: number }>('follows')

/** Forgets that members do not follow records any more. */
export async function forgetUnfollows({ db, workspace }: Tenant, pairs: readonly Follow[]): Promise<void> {
  const named = pairs.map(({ record_id, user_id }) => `${record_id} ${user_id}`)
  await sql`delete from follows where workspace_id = ${workspace.id}
    and record_id ${sql.among([...new Set(pairs.map(({ record_id }) => record_id))])}
    and record_id || ' ' || user_id ${sql.among(named)} and following = 0`.run(db)
}

/** The members who follow some of the records by hand. */
export async function loadFollowers({ db, workspace }: Tenant, recordIds: readonly string[]): Promise<string[]> {
  const members = await sql<string>`select user_id from follows where workspace_id = ${workspace.id}
    and record_id ${sql.among(recordIds)} and following = 1 order by record_id, user_id`.column(db)
  return [...new Set(members)]
}

/** Makes members follow a record, unless they have said something about it. Returns those who do. */
export async function insertFollows(
  { db, workspace }: Tenant,
  userIds: readonly string[],
  record_id: string,
): Promise<string[]> {
  if (userIds.length === 0) return []
  const rows = userIds.map((user_id) => sql`(${workspace.id}, ${user_id}, ${record_id}, 1)`)
  return sql<string>`insert into follows (workspace_id, user_id, record_id, following) values ${sql.join(rows)}
    on conflict do nothing returning user_id`.column(db)
}

/** Takes back what a merge has made members follow. */
export async function unfollowWinner(
  { db, workspace }: Tenant,
  { merge_id, winner_id }: { merge_id: string; winner_id: string },
): Promise<void> {
  await sql`delete from follows where workspace_id = ${workspace.id} and record_id = ${winner_id} and following = 1
    and user_id in (select m.record_id from merge_moves m where m.workspace_id = ${workspace.id}
      and m.merge_id = ${merge_id} and m.resource = 'follows')`.run(db)
}
