import { sql } from 'kysely'
import type { SearchIndex } from './engine.ts'
import { partPattern } from './like.ts'

/** `search_texts` under a GIN index of trigrams that begins with the workspace and the shelf. */
export const postgresSearch: SearchIndex = {
  async openShelves() {},

  async put(inside, workspaceId, _table, texts) {
    if (texts.length === 0) return
    const rows = sql.join(texts.map((text) => sql`(${workspaceId}, ${text.shelf}, ${text.record_id}, ${text.text})`))
    await sql`
      insert into search_texts (workspace_id, shelf, record_id, text) values ${rows}
      on conflict (workspace_id, record_id, shelf) do update set text = excluded.text`.execute(inside.query)
  },

  async remove(inside, workspaceId, _table, recordId, shelves) {
    if (shelves.length === 0) return
    await sql`
      delete from search_texts
      where workspace_id = ${workspaceId} and record_id = ${recordId} and shelf in (${sql.join(shelves)})`.execute(
      inside.query,
    )
  },

  async clearShelf(inside, workspaceId, shelf) {
    await sql`delete from search_texts where workspace_id = ${workspaceId} and shelf = ${shelf}`.execute(inside.query)
  },

  containing(workspaceId, _table, shelf, part) {
    return sql`
      select record_id from search_texts
      where workspace_id = ${workspaceId} and shelf = ${shelf} and text like ${partPattern(part)} escape '\\'`
  },
}
