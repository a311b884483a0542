import { duplicateKey } from '@kith/contract/duplicate-key'
import type { Db } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import type { Migration, Step, Words } from './words.ts'

/** The keys by which likely duplicates are found. Records without a name have an empty one. */
export const duplicateKeys: Migration = {
  name: '0008-duplicate-keys',
  statements: (words) => [
    ...['tasks', 'notes'].map((table) => columnOf(words, table)),
    ...['companies', 'people', 'opportunities'].flatMap((table): Step[] => [
      columnOf(words, table),
      (inside) => fill(inside, table),
      `create index ${table}_duplicate on ${table} (workspace_id, duplicate_key, id, deleted_at)
        where deleted_at is null and duplicate_key <> ''`,
    ]),
  ],
}

function columnOf({ key }: Words, table: string): string {
  return `alter table ${table} add column duplicate_key ${key} not null default ''`
}

type Named = { workspace_id: string; id: string; name: string }

const BATCH = 200

/** Computed here: no database folds names as the contract does. */
async function fill(inside: Db, table: string): Promise<void> {
  const rows = sql.table(table)
  let last = { workspace_id: '', id: '' }
  for (;;) {
    const found = await sql<Named>`select workspace_id, id, name from ${rows}
      where (workspace_id, id) > (${last.workspace_id}, ${last.id})
      order by workspace_id, id limit ${sql.lit(BATCH)}`.all(inside)
    for (const [workspaceId, own] of Map.groupBy(found, (row) => row.workspace_id)) {
      const cases = own.map(({ id, name }) => sql`when ${id} then ${duplicateKey(name)}`)
      await sql`update ${rows} set duplicate_key = case id ${sql.join(cases, sql` `)} else '' end
        where workspace_id = ${workspaceId} and id in (${sql.join(own.map(({ id }) => id))})`.run(inside)
    }
    const end = found.at(-1)
    if (!end || found.length < BATCH) return
    last = end
  }
}
