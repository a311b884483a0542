import type { Db, SearchIndex } from '../engine.ts'
import { SOME } from '../search-fields.ts'
import { type Sql, type SqlBool, sql } from '../sql.ts'
import { andSomeInTime } from './planner-hints.ts'

const TRIGRAM = 3

/** The low bits of the number of a text are its record. */
const RECORD_BITS = 2 ** 40 - 1

/**
 * `search_texts` has each text under a number made of its field (high bits) and its record (low 40 bits). The texts of
 * a field are so one range of row numbers: a search never reads other workspaces. Triggers note which texts the FTS5
 * trigram index `search` does not have yet.
 */
export const sqliteSearch: SearchIndex = {
  tables: ['search_texts', 'search_fields'],

  async addFields(inside, workspace, fields) {
    const rows = sql.join(fields.map((field) => sql`(${workspace}, ${field})`))
    await sql`insert or ignore into search_fields (workspace, field) values ${rows}`.run(inside)
  },

  async put(inside, workspace, texts) {
    if (texts.length === 0) return
    // Most writes are of one record. Without a list to parse it takes two thirds of the time.
    const rows =
      texts.length <= FEW
        ? sql`select column1 as record, column2 as field, column3 as text from (values ${sql.join(
            texts.map(({ record, field, text }) => sql`(${record}, ${field}, ${text})`),
          )})`
        : listed(texts.map(({ record, field, text }) => [record, field, text]))
    await sql`insert or replace into search_texts (seq, text)
      select (s.seq << 40) | t.record, t.text ${placesOf(rows, workspace)} order by 1`.run(inside)
  },

  async remove(inside, workspace, texts) {
    if (texts.length === 0) return
    const rows = listed(texts.map(({ record, field }) => [record, field]))
    await sql`delete from search_texts
      where seq in (select (s.seq << 40) | t.record ${placesOf(rows, workspace)})`.run(inside)
  },

  async removeAll(inside, workspace, records) {
    if (records.length === 0) return
    await sql`delete from search_texts where seq in (
      select (s.seq << 40) | r.value from search_fields s, json_each(${JSON.stringify(records)}) r
      where s.workspace = ${workspace})`.run(inside)
  },

  async removeField(inside, workspace, field) {
    await sql`delete from search_texts where ${isIn(rangeOf(workspace, field), 'seq')}`.run(inside)
    await sql`delete from search_fields where workspace = ${workspace} and field = ${field}`.run(inside)
  },

  async keepOnly(inside, workspace, fields) {
    const known = await sql<number>`select field from search_fields where workspace = ${workspace}`.column(inside)
    for (const field of known) {
      if (fields.includes(field)) await deleteOtherTexts(inside, workspace, field)
      else await this.removeField(inside, workspace, field)
    }
  },

  containing(workspace, field, parts) {
    const range = rangeOf(workspace, field)
    const long = parts.filter((part) => [...part].length >= TRIGRAM)
    return long.length < parts.length ? scan(range, parts) : lookUp(range, parts)
  },

  // FTS5 returns its matches one by one, and records have their numbers in the order of their creation.
  someContaining({ workspace }, field, parts) {
    const latest = (column: string) => sql`order by ${sql.ref(column)} desc limit ${sql.lit(SOME)}`
    const { indexed, fresh } = lookUps(rangeOf(workspace, field), parts)
    return sql`select record from (${indexed} ${latest('f.rowid')}) i
      union all select record from (${fresh} ${latest('n.seq')}) n`
  },

  contains(workspace, field, { parts, depth }) {
    const { from } = rangeOf(workspace, field)
    return sql`exists (select 1 from search_texts t where t.seq = ${from} | ${sql.ref(`r${depth}.number`)}
      and ${hasAll(parts)})`
  },
}

/** So many texts are bound one by one. More would make too many different statements. */
const FEW = 16

/** Rows of record, field and maybe text as JSON, so that the text of the statement does not depend on their number. */
function listed(rows: readonly unknown[][]): Sql<unknown> {
  return sql`select value ->> 0 as record, value ->> 1 as field, value ->> 2 as text
    from json_each(${JSON.stringify(rows)})`
}

/** Such rows `t`, with their search field `s`. */
function placesOf(rows: Sql<unknown>, workspace: number): Sql<unknown> {
  return sql`from (${rows}) t cross join search_fields s on s.workspace = ${workspace} and s.field = t.field`
}

/** The row numbers of a field's texts. */
type Range = { from: Sql<unknown>; before: Sql<unknown> }

function rangeOf(workspace: number, field: number): Range {
  const number = sql`(select seq from search_fields where workspace = ${workspace} and field = ${field})`
  return { from: sql`(${number} << 40)`, before: sql`((${number} + 1) << 40)` }
}

function isIn({ from, before }: Range, column: string): Sql<SqlBool> {
  return sql`${sql.ref(column)} >= ${from} and ${sql.ref(column)} < ${before}`
}

/** Removes the texts of a field whose record is not live. */
async function deleteOtherTexts(inside: Db, workspace: number, field: number): Promise<void> {
  const range = rangeOf(workspace, field)
  await sql`
    delete from search_texts where ${isIn(range, 'seq')} and not exists (
      select 1 from records r where r.number = search_texts.seq & ${sql.lit(RECORD_BITS)}
      and r.workspace = ${workspace} and r.deleted_at is null)`.run(inside)
}

type Records = Sql<{ record: number }>

const RECORD = sql.raw(`t.seq & ${RECORD_BITS} as record`)

/**
 * Texts that have the trigrams of the parts, and then the parts themselves. FTS5 reads the list of the first trigram
 * and checks the others, so that a few of the rarest trigrams find the same texts sooner. The same statement chooses
 * them.
 */
function lookUps(range: Range, parts: readonly string[]): { indexed: Records; fresh: Records } {
  const rarest = trigramsOf(parts).length >= CHOOSE_FROM ? rarestOf(range, parts) : sql`${allOf(parts)}`
  const check = sql`${checkTime} and ${hasAll(parts)}`
  const indexed = sql<{ record: number }>`
    select ${RECORD} from search f cross join search_texts t on t.seq = f.rowid
    where f.search match ${rarest} and ${isIn(range, 'f.rowid')} and f.rowid not in (select seq from search_fresh)
      ${check}`
  const fresh = sql<{ record: number }>`
    select ${RECORD} from search_fresh n cross join search_texts t on t.seq = n.seq
    where ${isIn(range, 'n.seq')} ${check}`
  return { indexed, fresh }
}

function lookUp(range: Range, parts: readonly string[]): Records {
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

function scan(range: Range, parts: readonly string[]): Records {
  return sql`select ${RECORD} from search_texts t where ${isIn(range, 't.seq')} ${checkTime} and ${hasAll(parts)}`
}

/** `like` would ignore letter case. */
function hasAll(parts: readonly string[]): Sql<unknown> {
  const each = parts.map((part) => sql`instr(t.text, ${part}) > 0`)
  return sql.join(each, sql` and `)
}
