import { resourceNames } from '@kith/contract/resource'
import { sql } from 'kysely'
import type { Runtime } from '../../src/scope/scope.ts'

/** All that is derived from the records of a workspace, in a form that can be compared. */
export async function derived({ id, runtime }: { id: string; runtime: Runtime }) {
  const { db, dialect } = runtime.engine
  const values = await db.query
    .selectFrom('field_values')
    // The place tells the rows of a field apart and says no more.
    .select(['record_id', 'field_id', 'match_key', 'number_key', 'host_key', 'exact', 'created_at'])
    .where('workspace_id', '=', id)
    .execute()
  const texts = await (dialect === 'sqlite'
    ? sql`select s.name as field, t.record_id, t.text from search_fields s
          join search_texts t on t.seq >= (s.seq << 40) and t.seq < ((s.seq + 1) << 40) where s.workspace_id = ${id}`
    : sql`select field, record_id, text from search_texts where workspace_id = ${id}`
  ).execute(db.query)
  const counts = await db.query
    .selectFrom('record_counts')
    .select((of) => ['resource', of.fn.sum<number>('live').as('live')])
    .where('workspace_id', '=', id)
    .groupBy('resource')
    .execute()
  const names = await Promise.all(
    resourceNames.map((resource) =>
      db.query.selectFrom(resource).select(['id', 'name_key', 'updated_at']).where('workspace_id', '=', id).execute(),
    ),
  )
  return { values: sorted(values), texts: sorted(texts.rows), counts: counted(counts), names: sorted(names.flat()) }
}

function sorted(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort()
}

/** A resource of which nothing was ever written has no row, which counts as none. */
function counted(rows: readonly { resource: string; live: number }[]): Record<string, number> {
  const counts = new Map(rows.map((row) => [row.resource, Number(row.live)]))
  return Object.fromEntries(resourceNames.map((resource) => [resource, counts.get(resource) ?? 0]))
}
