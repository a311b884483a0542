import type { Db } from '../engines/engine.ts'
import { type Sql, type SqlBool, sql } from '../engines/sql.ts'

/*
 * Automatic saves of one person that follow each other are one change: their entries name the first of them
 * (`save_of`), which names itself. Entries are only added, so each save keeps what it has changed, for the feed.
 */

/** Whether an entry under an alias is a change of its own, or the first of several saves. */
export function isWhole(alias: string): Sql<SqlBool> {
  const [id, first] = [sql.ref(`${alias}.id`), sql.ref(`${alias}.save_of`)]
  return sql`(${first} is null or ${first} = ${id})`
}

/** What an entry says about the saves that it is one of. */
type Saved = { resource: string; id: string; save_of: string | null; changes: string | null }

/** The entries with the values that their saves have made of them in the end. */
export async function withLastSaves<Row extends Saved>(
  db: Db,
  workspaceId: string,
  rows: readonly Row[],
): Promise<Row[]> {
  const first = rows.filter(({ id, save_of }) => id === save_of)
  if (first.length === 0) return [...rows]
  const resources = [...new Set(first.map(({ resource }) => resource))]
  const saves = await sql<{ save_of: string; changes: string }>`select a.save_of, a.changes from audit_log a
    where a.workspace_id = ${workspaceId} and a.resource ${sql.among(resources)} and a.id in (
      select max(s.id) from audit_log s where s.workspace_id = ${workspaceId}
      and s.save_of ${sql.among(first.map(({ id }) => id))} group by s.save_of)`.all(db)
  const last = new Map(saves.map(({ save_of, changes }) => [save_of, changes]))
  return rows.map((row) => {
    const changes = row.id === row.save_of ? last.get(row.id) : undefined
    return changes === undefined ? row : { ...row, changes: joined(row.changes ?? '[]', changes) }
  })
}

/** The values before the first save, and those after the last one. Both have the same attributes. */
function joined(first: string, last: string): string {
  // Only noteWrite writes them.
  const [changes, later] = [first, last].map((text) => JSON.parse(text) as [string, unknown, unknown, 1?][])
  const after = new Map(later?.map((change) => [change[0], change]))
  const whole = changes?.map(([field, before, made, cut]) => {
    const [, , now, cutNow] = after.get(field) ?? [field, before, made, cut]
    return cut === 1 || cutNow === 1 ? [field, before, now, 1] : [field, before, now]
  })
  return JSON.stringify(whole)
}
