import type { SearchField, SearchIndex } from '../engine.ts'
import { SOME } from '../search-fields.ts'
import { partPattern, type Sql, type SqlBool, sql } from '../sql.ts'
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
    await sql`delete from search_texts
      where workspace_id = ${workspaceId} and record_id ${sql.among(recordIds)}`.run(inside)
  },

  async removeField(inside, workspaceId, field) {
    await sql`delete from search_texts where workspace_id = ${workspaceId} and field = ${field}`.run(inside)
  },

  async keepOnly(inside, workspaceId, fields) {
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

  containing(workspaceId, field, parts) {
    return sql`
      select t.record_id from search_texts t
      where t.workspace_id = ${workspaceId} and t.field = ${field} and ${hasAll(parts)}`
  },

  // The index finds all matches before it returns the first. If many of the newest records match, these are enough.
  someContaining({ workspaceId, table }, field, parts) {
    return sql`
      with newest as materialized (
        select r.id from ${sql.table(table)} r where r.workspace_id = ${workspaceId} and r.deleted_at is null
        order by r.created_at desc, r.id limit ${sql.lit(NEWEST)}),
      many as materialized (
        select n.id as record_id from newest n where ${hasText(workspaceId, field, { id: 'n.id', parts })}
        limit ${sql.lit(MANY)})
      select record_id from many where (select count(*) from many) = ${sql.lit(MANY)}
      union all (
        select record_id from (${this.containing(workspaceId, field, parts)} limit ${sql.lit(READ_MAX)}) found
        where (select count(*) from many) < ${sql.lit(MANY)} order by record_id desc limit ${sql.lit(SOME)})`
  },

  contains(workspaceId, field, { parts, depth }) {
    return hasText(workspaceId, field, { id: `r${depth}.id`, parts })
  },
}

/** So many of the newest records are checked, and if so many of them match, a query is broad. */
const NEWEST = 400
const MANY = 40

/** Of other queries so many matches are read. */
const READ_MAX = 2000

function hasText(workspaceId: string, field: string, { id, parts }: { id: string; parts: readonly string[] }) {
  return sql<SqlBool>`exists (select 1 from search_texts t where t.workspace_id = ${workspaceId}
    and t.record_id = ${sql.ref(id)} and t.field = ${field} and ${hasAll(parts)} offset 0)`
}

function hasAll(parts: readonly string[]): Sql<unknown> {
  const each = parts.map((part) => sql`${textFor(part)} like ${partPattern(part)} escape '\\'`)
  return sql.join(each, sql` and `)
}

/**
 * The least that has a trigram in every locale. A word has two spaces before it and one behind it. Letters beyond
 * ASCII are part of words in some locales only.
 */
const TRIGRAM = /[a-z0-9]{3}|[^a-z0-9][a-z0-9]{2}|[a-z0-9]{2}[^a-z0-9]| [a-z0-9]/i

/** A part without a trigram would make the index read all its trigrams, those of other workspaces too. */
function textFor(part: string): Sql<unknown> {
  return TRIGRAM.test(part) ? sql`t.text` : sql`(t.text || '')`
}
