import type { SearchField, SearchIndex } from '../engine.ts'
import { partPattern } from '../like.ts'
import { sql } from '../sql.ts'
import { columnsOf } from '../stored-table.ts'
import { putTexts, writeRows } from './rows.ts'

const columns = columnsOf(['workspace_id', 'field', 'record_id', 'text'])
const put = putTexts({ table: 'search_texts', columns }, ['workspace_id', 'record_id', 'field'])

/** `search_texts` under a GIN index of trigrams that starts with the workspace and the field. */
export const postgresSearch: SearchIndex = {
  tables: ['search_texts'],

  async addFields() {},

  put(inside, { workspaceId }, texts) {
    const rows = texts.map(({ field, record_id, text }) => [workspaceId, field, record_id, text])
    return writeRows(inside, put, rows)
  },

  async remove(inside, { workspaceId }, texts) {
    if (texts.length === 0) return
    const named = texts.map(({ record_id, field }) => `${record_id} ${field}`)
    await sql`
      delete from search_texts
      where workspace_id = ${workspaceId} and record_id ${sql.among([...new Set(texts.map((text) => text.record_id))])}
      and record_id || ' ' || field ${sql.among(named)}`.run(inside)
  },

  async removeAll(inside, { workspaceId }, recordIds) {
    await inside.session.run('delete from search_texts where workspace_id = $1 and record_id = any ($2::text[])', [
      workspaceId,
      recordIds,
    ])
  },

  async removeField(inside, workspaceId, field) {
    await sql`delete from search_texts where workspace_id = ${workspaceId} and field = ${field}`.run(inside)
  },

  async sweep(inside, workspaceId, fields) {
    const ours = sql`workspace_id = ${workspaceId}`
    const names = (some: readonly SearchField[]) => some.map((field) => field.name)
    await sql`delete from search_texts where ${ours} and field <> all (${names(fields)}::text[])`.run(inside)
    for (const [table, some] of Map.groupBy(fields, (field) => field.table)) {
      const texts = sql`search_texts where ${ours} and field = any (${names(some)}::text[])`
      await sql`
        with stray as materialized (
          select record_id from ${texts}
          except select id from ${sql.table(table)} where ${ours} and deleted_at is null)
        delete from ${texts} and record_id in (select record_id from stray)`.run(inside)
    }
  },

  containing(workspaceId, field, part) {
    return sql`
      select record_id from search_texts
      where workspace_id = ${workspaceId} and field = ${field} and text like ${partPattern(part)} escape '\\'`
  },

  contains(workspaceId, field, { part, depth }) {
    return sql`exists (select 1 from search_texts t where t.workspace_id = ${workspaceId}
      and t.record_id = ${sql.ref(`r${depth}.id`)} and t.field = ${field}
      and t.text like ${partPattern(part)} escape '\\' offset 0)`
  },
}
