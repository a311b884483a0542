import type { SearchIndex } from '../engine.ts'
import { SOME } from '../search-fields.ts'
import { partPattern, type Sql, type SqlBool, sql } from '../sql.ts'
import { columnsOf } from '../stored-table.ts'
import { putTexts, writeRows } from './rows.ts'

const numbers = ['workspace', 'field', 'record']
const put = putTexts({ table: 'search_texts', columns: columnsOf([...numbers, 'text'], numbers) }, numbers)

/** `search_texts` under a GIN index of trigrams that starts with the workspace and the field. */
export const postgresSearch: SearchIndex = {
  tables: ['search_texts'],

  async addFields() {},

  put(inside, workspace, texts) {
    const rows = texts.map(({ field, record, text }) => [workspace, field, record, text])
    return writeRows(inside, put, rows)
  },

  async remove(inside, workspace, texts) {
    if (texts.length === 0) return
    const [records, fields] = [texts.map(({ record }) => record), texts.map(({ field }) => field)]
    await sql`delete from search_texts t using unnest(${records}::bigint[], ${fields}::int[]) r (record, field)
      where t.workspace = ${workspace} and t.record = r.record and t.field = r.field`.run(inside)
  },

  async removeAll(inside, workspace, records) {
    await sql`delete from search_texts
      where workspace = ${workspace} and record ${sql.amongNumbers(records)}`.run(inside)
  },

  async removeField(inside, workspace, field) {
    await sql`delete from search_texts where workspace = ${workspace} and field = ${field}`.run(inside)
  },

  async keepOnly(inside, workspace, fields) {
    const ours = sql`workspace = ${workspace}`
    await sql`delete from search_texts where ${ours} and field <> all (${fields}::int[])`.run(inside)
    await sql`
      with stray as materialized (
        select record from search_texts where ${ours}
        except select number from records where ${ours} and deleted_at is null)
      delete from search_texts where ${ours} and record in (select record from stray)`.run(inside)
  },

  containing(workspace, field, parts) {
    return sql`
      select t.record from search_texts t
      where t.workspace = ${workspace} and t.field = ${field} and ${hasAll(parts)}`
  },

  // The index finds all matches before it returns the first. If many of the newest records match, these are enough.
  someContaining({ workspace, resource }, field, parts) {
    return sql`
      with newest as materialized (
        select r.number from records r where r.workspace = ${workspace} and r.resource = ${resource}
        and r.deleted_at is null order by r.created_at desc, r.id limit ${sql.lit(NEWEST)}),
      many as materialized (
        select n.number as record from newest n where ${hasText(workspace, field, { number: 'n.number', parts })}
        limit ${sql.lit(MANY)})
      select record from many where (select count(*) from many) = ${sql.lit(MANY)}
      union all (
        select record from (${this.containing(workspace, field, parts)} limit ${sql.lit(READ_MAX)}) found
        where (select count(*) from many) < ${sql.lit(MANY)} order by record desc limit ${sql.lit(SOME)})`
  },

  contains(workspace, field, { parts, depth }) {
    return hasText(workspace, field, { number: `r${depth}.number`, parts })
  },
}

/** So many of the newest records are checked, and if so many of them match, a query is broad. */
const NEWEST = 400
const MANY = 40

/** Of other queries so many matches are read. */
const READ_MAX = 2000

function hasText(workspace: number, field: number, { number, parts }: { number: string; parts: readonly string[] }) {
  return sql<SqlBool>`exists (select 1 from search_texts t where t.workspace = ${workspace}
    and t.record = ${sql.ref(number)} and t.field = ${field} and ${hasAll(parts)} offset 0)`
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
