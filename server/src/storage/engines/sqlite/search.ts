import type { ResourceName } from '@kith/contract/resource'
import type { Db, SearchField, SearchIndex, SearchTable, SearchText } from '../engine.ts'
import { SOME } from '../search-fields.ts'
import { type Sql, type SqlBool, sql } from '../sql.ts'
import { andSomeInTime } from './planner-hints.ts'

const TRIGRAM = 3

/**
 * `search_texts` has each text under a number made of its field (high bits) and its record (low 40 bits). The texts of
 * a field are so one range of row numbers: a search never reads other workspaces. Triggers note which texts the FTS5
 * trigram index `search` does not have yet.
 */
export const sqliteSearch: SearchIndex = {
  tables: ['search_texts', 'search_fields'],

  async addFields(inside, workspaceId, fields) {
    const rows = sql.join(fields.map((field) => sql`(${workspaceId}, ${field})`))
    await sql`insert or ignore into search_fields (workspace_id, name) values ${rows}`.run(inside)
  },

  async put(inside, { workspaceId, table }, texts) {
    const [first] = texts
    if (!first) return
    const isOfOne = texts.length <= FEW && texts.every(({ record_id }) => record_id === first.record_id)
    if (isOfOne) return putOfRecord(inside, { workspaceId, table }, texts)
    const rows = texts.map(({ record_id, field, text }) => [record_id, field, text])
    await sql`insert or replace into search_texts (seq, record_id, text)
      select (s.seq << 40) | r.seq, r.id, t.value ->> 2 ${placesOf(rows, workspaceId, table)} order by 1`.run(inside)
  },

  async remove(inside, { workspaceId, table }, texts) {
    if (texts.length === 0) return
    const rows = texts.map(({ record_id, field }) => [record_id, field])
    await sql`delete from search_texts
      where seq in (select (s.seq << 40) | r.seq ${placesOf(rows, workspaceId, table)})`.run(inside)
  },

  async removeAll(inside, { workspaceId, table }, recordIds) {
    if (recordIds.length === 0) return
    const ids = sql.join(recordIds)
    // Each table numbers its own records, so that a record of another table may have the same number: the id decides.
    await sql`
      delete from search_texts where record_id in (${ids}) and seq in (
        select (s.seq << 40) | r.seq from search_fields s, ${sql.table(table)} r
        where s.workspace_id = ${workspaceId} and r.workspace_id = ${workspaceId} and r.id in (${ids}))`.run(inside)
  },

  async removeField(inside, workspaceId, field) {
    const range = rangeOf(workspaceId, field)
    await sql`delete from search_texts where ${isIn(range, 'seq')}`.run(inside)
    await sql`delete from search_fields where workspace_id = ${workspaceId} and name = ${field}`.run(inside)
  },

  async keepOnly(inside, workspaceId, fields) {
    const known = await sql<{ name: string }>`
      select name from search_fields where workspace_id = ${workspaceId}`.all(inside)
    const tables = new Map(fields.map((field) => [field.name, field.table]))
    for (const { name } of known) {
      const table = tables.get(name)
      if (table === undefined) await this.removeField(inside, workspaceId, name)
      else await deleteOtherTexts(inside, workspaceId, { name, table })
    }
  },

  containing(workspaceId, field, parts) {
    const range = rangeOf(workspaceId, field)
    const long = parts.filter((part) => [...part].length >= TRIGRAM)
    return long.length < parts.length ? scan(range, parts) : lookUp(range, parts)
  },

  // FTS5 returns its matches one by one, and records have their numbers in the order of their creation.
  someContaining({ workspaceId }, field, parts) {
    const latest = (column: string) => sql`order by ${sql.ref(column)} desc limit ${sql.lit(SOME)}`
    const { indexed, fresh } = lookUps(rangeOf(workspaceId, field), parts)
    return sql`select record_id from (${indexed} ${latest('f.rowid')}) i
      union all select record_id from (${fresh} ${latest('n.seq')}) n`
  },

  contains(workspaceId, field, { parts, depth }) {
    const { from } = rangeOf(workspaceId, field)
    return sql`exists (select 1 from search_texts t where t.seq = ${from} | ${sql.ref(`r${depth}.seq`)}
      and ${hasAll(parts)})`
  },
}

/** So many texts are bound one by one. More would make too many different statements. */
const FEW = 16

/** Most writes are of one record. Without a list to parse it takes two thirds of the time. */
async function putOfRecord(inside: Db, { workspaceId, table }: SearchTable, texts: readonly SearchText[]) {
  const rows = sql.join(texts.map(({ field, text }) => sql`(${field}, ${text})`))
  await sql`insert or replace into search_texts (seq, record_id, text)
    select (s.seq << 40) | r.seq, r.id, t.column2 from (values ${rows}) t
    cross join search_fields s on s.workspace_id = ${workspaceId} and s.name = t.column1
    cross join ${sql.table(table)} r on r.workspace_id = ${workspaceId} and r.id = ${texts[0]?.record_id}`.run(inside)
}

/**
 * The rows `t` of record, field and maybe text, with their field `s` and their record `r`. They are bound as JSON, so
 * that the text of the statement does not depend on their number.
 */
function placesOf(rows: readonly string[][], workspaceId: string, table: ResourceName): Sql<unknown> {
  return sql`from json_each(${JSON.stringify(rows)}) t
    cross join search_fields s on s.workspace_id = ${workspaceId} and s.name = t.value ->> 1
    cross join ${sql.table(table)} r on r.workspace_id = ${workspaceId} and r.id = t.value ->> 0`
}

/** The row numbers of a field's texts. */
type Range = { from: Sql<unknown>; before: Sql<unknown> }

function rangeOf(workspaceId: string, field: string): Range {
  const number = sql`(select seq from search_fields where workspace_id = ${workspaceId} and name = ${field})`
  return { from: sql`(${number} << 40)`, before: sql`((${number} + 1) << 40)` }
}

function isIn({ from, before }: Range, column: string): Sql<SqlBool> {
  return sql`${sql.ref(column)} >= ${from} and ${sql.ref(column)} < ${before}`
}

/** Removes the texts of a field whose record is not live. */
async function deleteOtherTexts(inside: Db, workspaceId: string, { name, table }: SearchField): Promise<void> {
  const range = rangeOf(workspaceId, name)
  await sql`
    delete from search_texts where ${isIn(range, 'seq')} and not exists (
      select 1 from ${sql.table(table)} r where r.seq = search_texts.seq - ${range.from}
      and r.workspace_id = ${workspaceId} and r.id = search_texts.record_id and r.deleted_at is null)`.run(inside)
}

type RecordIds = Sql<{ record_id: string }>

/**
 * Texts that have the trigrams of the parts, and then the parts themselves. FTS5 reads the list of the first trigram
 * and checks the others, so that a few of the rarest trigrams find the same texts sooner. The same statement chooses
 * them.
 */
function lookUps(range: Range, parts: readonly string[]): { indexed: RecordIds; fresh: RecordIds } {
  const rarest = trigramsOf(parts).length >= CHOOSE_FROM ? rarestOf(range, parts) : sql`${allOf(parts)}`
  const check = sql`${checkTime} and ${hasAll(parts)}`
  const indexed = sql<{ record_id: string }>`
    select t.record_id from search f cross join search_texts t on t.seq = f.rowid
    where f.search match ${rarest} and ${isIn(range, 'f.rowid')} and f.rowid not in (select seq from search_fresh)
      ${check}`
  const fresh = sql<{ record_id: string }>`
    select t.record_id from search_fresh n cross join search_texts t on t.seq = n.seq
    where ${isIn(range, 'n.seq')} ${check}`
  return { indexed, fresh }
}

function lookUp(range: Range, parts: readonly string[]): RecordIds {
  const { indexed, fresh } = lookUps(range, parts)
  return sql`${indexed} union all ${fresh}`
}

const checkTime = andSomeInTime('t.seq')

/** With fewer trigrams, or fewer records, the choice costs as much as it saves. */
const CHOOSE_FROM = 4
const CHOOSE_AMONG_RECORDS = 20_000

/** How many trigrams of a long part are compared, by how many texts of each, and how many are used. */
const COMPARED = 24
const SAMPLED = 32
const CHOSEN = 3

/** The first texts of a rare trigram are far apart. */
function rarestOf(range: Range, parts: readonly string[]): Sql<unknown> {
  const { from, before } = range
  const all = JSON.stringify(trigramsOf(parts).slice(0, COMPARED).map(quoted))
  return sql`(case when (select max(seq) from search_texts where seq < ${before}) - ${from} < ${CHOOSE_AMONG_RECORDS}
    then ${allOf(parts)} else (select group_concat(phrase, ' AND ') from (
      select g.value as phrase from json_each(${all}) g order by (
        select (max(seq) - min(seq)) / count(*) from (
          select f.rowid as seq from search f where f.search match g.value and ${isIn(range, 'f.rowid')}
          limit ${SAMPLED})) desc limit ${CHOSEN})) end)`
}

function trigramsOf(parts: readonly string[]): string[] {
  const trigrams = parts.flatMap((part) => {
    const letters = [...part.toWellFormed()]
    return letters.slice(0, 1 - TRIGRAM).map((_, at) => letters.slice(at, at + TRIGRAM).join(''))
  })
  return [...new Set(trigrams)]
}

/** The trigrams that texts with these parts have. The index has no positions, so it does not know their order. */
function allOf(parts: readonly string[]): string {
  return trigramsOf(parts).slice(0, COMPARED).map(quoted).join(' AND ')
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

function scan(range: Range, parts: readonly string[]): RecordIds {
  return sql`select t.record_id from search_texts t where ${isIn(range, 't.seq')} ${checkTime} and ${hasAll(parts)}`
}

/** `like` would ignore letter case. */
function hasAll(parts: readonly string[]): Sql<unknown> {
  const each = parts.map((part) => sql`instr(t.text, ${part}) > 0`)
  return sql.join(each, sql` and `)
}
