import { type RawBuilder, sql } from 'kysely'
import type { SearchIndex } from './engine.ts'
import { partPattern } from './like.ts'

const TRIGRAM = 3
const TEXTS_TOGETHER = 100

/**
 * `search_texts` keeps each text under a number made of its shelf (high bits) and its record (low 40 bits), and triggers
 * keep the FTS5 trigram index `search` in step. One shelf is thus one range of row numbers: a search never walks
 * through other workspaces, and its matches come in the order in which the records were created.
 */
export const sqliteSearch: SearchIndex = {
  async openShelves(inside, workspaceId, shelves) {
    const rows = sql.join(shelves.map((shelf) => sql`(${workspaceId}, ${shelf})`))
    await sql`insert or ignore into shelves (workspace_id, name) values ${rows}`.execute(inside.query)
  },

  async put(inside, workspaceId, table, texts) {
    if (texts.length > TEXTS_TOGETHER) {
      for (let start = 0; start < texts.length; start += TEXTS_TOGETHER) {
        await this.put(inside, workspaceId, table, texts.slice(start, start + TEXTS_TOGETHER))
      }
      return
    }
    if (texts.length === 0) return
    const rows = sql.join(texts.map((text) => sql`(${text.record_id}, ${text.shelf}, ${text.text})`))
    await sql`
      insert or replace into search_texts (seq, record_id, text)
      select (s.seq << 40) | r.seq, t.column1, t.column3
      from (values ${rows}) as t
      join shelves s on s.workspace_id = ${workspaceId} and s.name = t.column2
      join ${sql.table(table)} r on r.workspace_id = ${workspaceId} and r.id = t.column1`.execute(inside.query)
  },

  async remove(inside, workspaceId, table, recordId, shelves) {
    if (shelves.length === 0) return
    await sql`
      delete from search_texts where seq in (
        select (s.seq << 40) | r.seq from shelves s, ${sql.table(table)} r
        where s.workspace_id = ${workspaceId} and s.name in (${sql.join(shelves)})
        and r.workspace_id = ${workspaceId} and r.id = ${recordId})`.execute(inside.query)
  },

  async clearShelf(inside, workspaceId, shelf) {
    const { from, before } = rangeOf(workspaceId, shelf)
    await sql`delete from search_texts where seq >= ${from} and seq < ${before}`.execute(inside.query)
    await sql`delete from shelves where workspace_id = ${workspaceId} and name = ${shelf}`.execute(inside.query)
  },

  containing(workspaceId, _table, shelf, part) {
    const { from, before } = rangeOf(workspaceId, shelf)
    return [...part].length < TRIGRAM ? scan(from, before, part) : lookUp(from, before, part)
  },
}

/** The row numbers of a shelf's texts. */
function rangeOf(workspaceId: string, shelf: string) {
  const number = sql`(select seq from shelves where workspace_id = ${workspaceId} and name = ${shelf})`
  return { from: sql`(${number} << 40)`, before: sql`((${number} + 1) << 40)` }
}

function lookUp(from: RawBuilder<unknown>, before: RawBuilder<unknown>, part: string) {
  const phrase = `"${part.replaceAll('"', '""')}"`
  return sql<{ record_id: string }>`
    select t.record_id from search f join search_texts t on t.seq = f.rowid
    where f.text match ${phrase} and f.rowid >= ${from} and f.rowid < ${before}`
}

function scan(from: RawBuilder<unknown>, before: RawBuilder<unknown>, part: string) {
  return sql<{ record_id: string }>`
    select record_id from search_texts
    where seq >= ${from} and seq < ${before} and text like ${partPattern(part)} escape '\\'`
}
