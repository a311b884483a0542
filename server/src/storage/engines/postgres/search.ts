import type { SearchIndex, Shelf } from '../engine.ts'
import { partPattern } from '../like.ts'
import { sql } from '../sql.ts'
import type { Column } from '../stored-table.ts'
import { putTexts, writeRows } from './rows.ts'

const columns: readonly Column[] = ['workspace_id', 'shelf', 'record_id', 'text'].map((name) => ({
  name,
  type: 'text',
}))
const put = putTexts('search_texts', columns, ['workspace_id', 'record_id', 'shelf'])

/** `search_texts` under a GIN index of trigrams that begins with the workspace and the shelf. */
export const postgresSearch: SearchIndex = {
  tables: ['search_texts'],

  async openShelves() {},

  put(inside, workspaceId, _table, texts) {
    const rows = texts.map(({ shelf, record_id, text }) => [workspaceId, shelf, record_id, text])
    return writeRows(inside, put, rows)
  },

  async remove(inside, workspaceId, _table, recordId, shelves) {
    if (shelves.length === 0) return
    await sql`
      delete from search_texts
      where workspace_id = ${workspaceId} and record_id = ${recordId} and shelf in (${sql.join(shelves)})`.execute(
      inside,
    )
  },

  async removeAll(inside, workspaceId, _table, recordIds) {
    await inside.session.run('delete from search_texts where workspace_id = $1 and record_id = any ($2::text[])', [
      workspaceId,
      recordIds,
    ])
  },

  async clearShelf(inside, workspaceId, shelf) {
    await sql`delete from search_texts where workspace_id = ${workspaceId} and shelf = ${shelf}`.execute(inside)
  },

  async sweep(inside, workspaceId, kept) {
    const ours = sql`workspace_id = ${workspaceId}`
    const names = (shelves: readonly Shelf[]) => shelves.map((shelf) => shelf.name)
    await sql`delete from search_texts where ${ours} and shelf <> all (${names(kept)}::text[])`.execute(inside)
    for (const [table, shelves] of Map.groupBy(kept, (shelf) => shelf.table)) {
      const texts = sql`search_texts where ${ours} and shelf = any (${names(shelves)}::text[])`
      await sql`
        with stray as materialized (
          select record_id from ${texts}
          except select id from ${sql.table(table)} where ${ours} and deleted_at is null)
        delete from ${texts} and record_id in (select record_id from stray)`.execute(inside)
    }
  },

  containing(workspaceId, _table, shelf, part) {
    return sql`
      select record_id from search_texts
      where workspace_id = ${workspaceId} and shelf = ${shelf} and text like ${partPattern(part)} escape '\\'`
  },

  holds(workspaceId, shelf, part, depth) {
    return sql`exists (select 1 from search_texts t where t.workspace_id = ${workspaceId}
      and t.record_id = ${sql.ref(`r${depth}.id`)} and t.shelf = ${shelf} and t.text like ${partPattern(part)} escape '\\' offset 0)`
  },
}
