import { resourceNames } from '@kith/contract/resource'
import type { Runtime } from '../../src/scope/scope.ts'
import { sql } from '../../src/storage/engines/sql.ts'
import { numberOf, storedValues } from '../stored-rows.ts'

/** All that is derived from the records of a workspace, in a form that can be compared. */
export async function derived({ id, runtime }: { id: string; runtime: Runtime }) {
  const { db, dialect } = runtime.engine
  // The place tells the rows of a field apart and says no more.
  const values = await sql`select record_id, field_id, match_key, number_key, host_key, exact, created_at
    from ${storedValues} where workspace_id = ${id}`.all(db)
  const numbered =
    dialect === 'sqlite'
      ? sql`select s.workspace, s.field, t.seq - (s.seq << 40) as record, t.text from search_fields s
          join search_texts t on t.seq >= (s.seq << 40) and t.seq < ((s.seq + 1) << 40)`
      : sql`select workspace, field, record, text from search_texts`
  // The fields of names and words have no row.
  const texts = await sql`select f.id as field_id, case when f.id is null then t.field end as field, r.id, t.text
    from (${numbered}) t left join records r on r.workspace = t.workspace and r.number = t.record
    left join custom_fields f on f.workspace_id = ${id} and f.number = t.field where t.workspace = ${numberOf(id)}`.all(
    db,
  )
  const counts = await sql<{ resource: string; live: number }>`
    select resource, sum(live) as live from record_counts where workspace_id = ${id} group by resource`.all(db)
  const names = await sql`select id, name_key, updated_at from records where workspace = ${numberOf(id)}`.all(db)
  // Only the column live is derived.
  const ids = await sql`select record_id, namespace, external_id, position, live
    from external_ids where workspace_id = ${id}`.all(db)
  return {
    values: sorted(values),
    ids: sorted(ids),
    texts: sorted(texts),
    counts: counted(counts),
    names: sorted(names),
  }
}

function sorted(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort()
}

/** A resource of which nothing was ever written has no row, which counts as none. */
function counted(rows: readonly { resource: string; live: number }[]): Record<string, number> {
  const counts = new Map(rows.map((row) => [row.resource, Number(row.live)]))
  return Object.fromEntries(resourceNames.map((resource) => [resource, counts.get(resource) ?? 0]))
}
