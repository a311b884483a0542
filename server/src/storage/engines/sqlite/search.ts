import { type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Db, SearchIndex, Shelf } from '../engine.ts'
import { fixed } from '../fixed.ts'
import { partPattern } from '../like.ts'
import { type RawBuilder, sql } from '../sql.ts'
import { andSomeInTime } from './planner-hints.ts'

const TRIGRAM = 3

/**
 * `search_texts` keeps each text under a number made of its shelf (high bits) and its record (low 40 bits), and triggers
 * tell which ones the FTS5 trigram index `search` has yet to learn of. One shelf is thus one range of row numbers: a search
 * never walks through other workspaces.
 */
export const sqliteSearch: SearchIndex = {
  tables: ['search_texts', 'shelves'],

  async openShelves(inside, workspaceId, shelves) {
    const rows = sql.join(shelves.map((shelf) => sql`(${workspaceId}, ${shelf})`))
    await sql`insert or ignore into shelves (workspace_id, name) values ${rows}`.execute(inside)
  },

  async put(inside, workspaceId, table, texts) {
    if (texts.length === 0) return
    const rows = texts.map(({ record_id, shelf, text }) => [record_id, shelf, text])
    await putInto[table](inside, [JSON.stringify(rows), workspaceId, workspaceId])
  },

  async remove(inside, workspaceId, table, recordId, shelves) {
    if (shelves.length === 0) return
    const rows = shelves.map((shelf) => [recordId, shelf])
    await removedFrom[table](inside, [JSON.stringify(rows), workspaceId, workspaceId])
  },

  async removeAll(inside, workspaceId, table, recordIds) {
    if (recordIds.length === 0) return
    const ids = sql.join(recordIds)
    // Each table numbers its own records, so that another's text may stand where one of these would: the id tells.
    await sql`
      delete from search_texts where record_id in (${ids}) and seq in (
        select (s.seq << 40) | r.seq from shelves s, ${sql.table(table)} r
        where s.workspace_id = ${workspaceId} and r.workspace_id = ${workspaceId} and r.id in (${ids}))`.execute(inside)
  },

  async clearShelf(inside, workspaceId, shelf) {
    const { from, before } = rangeOf(workspaceId, shelf)
    await sql`delete from search_texts where seq >= ${from} and seq < ${before}`.execute(inside)
    await sql`delete from shelves where workspace_id = ${workspaceId} and name = ${shelf}`.execute(inside)
  },

  async sweep(inside, workspaceId, kept) {
    const { rows } = await sql<{ name: string }>`
      select name from shelves where workspace_id = ${workspaceId}`.execute(inside)
    const tables = new Map(kept.map((shelf) => [shelf.name, shelf.table]))
    for (const { name } of rows) {
      const table = tables.get(name)
      if (table === undefined) await this.clearShelf(inside, workspaceId, name)
      else await sweepShelf(inside, workspaceId, { name, table })
    }
  },

  containing(workspaceId, _table, shelf, part) {
    const { from, before } = rangeOf(workspaceId, shelf)
    if ([...part].length < TRIGRAM) return scan(from, before, part)
    return lookUp(from, before, part)
  },

  holds(workspaceId, shelf, part, depth) {
    const { from } = rangeOf(workspaceId, shelf)
    return sql`exists (select 1 from search_texts t where t.seq = ${from} | ${sql.ref(`r${depth}.seq`)}
      and t.text like ${sql.unseen(partPattern(part))} escape '\\')`
  },
}

const putInto = forEachTable(
  (table) => `insert or replace into search_texts (seq, record_id, text)
    select (s.seq << 40) | r.seq, r.id, t.value ->> 2 ${placesIn(table)} order by 1`,
)

const removedFrom = forEachTable(
  (table) => `delete from search_texts where seq in (select (s.seq << 40) | r.seq ${placesIn(table)})`,
)

/**
 * The rows `t` of record, shelf and maybe text, with their shelf `s` and their record `r`. As JSON, so that it is one text of a statement,
 * however many there are.
 */
function placesIn(table: ResourceName): string {
  return `from json_each(?) t
    cross join shelves s on s.workspace_id = ? and s.name = t.value ->> 1
    cross join ${table} r on r.workspace_id = ? and r.id = t.value ->> 0`
}

type Run = ReturnType<typeof fixed>

function forEachTable(text: (table: ResourceName) => string): Record<ResourceName, Run> {
  // An entry for each name.
  return Object.fromEntries(resourceNames.map((table) => [table, fixed(text(table))])) as Record<ResourceName, Run>
}

/** The row numbers of a shelf's texts. */
function rangeOf(workspaceId: string, shelf: string) {
  const number = sql`(select seq from shelves where workspace_id = ${workspaceId} and name = ${shelf})`
  return { from: sql`(${number} << 40)`, before: sql`((${number} + 1) << 40)` }
}

/** Takes away the texts of a shelf whose record is not live. */
async function sweepShelf(inside: Db, workspaceId: string, { name, table }: Shelf): Promise<void> {
  const { from, before } = rangeOf(workspaceId, name)
  await sql`
    delete from search_texts where seq >= ${from} and seq < ${before} and not exists (
      select 1 from ${sql.table(table)} r where r.seq = search_texts.seq - ${from} and r.workspace_id = ${workspaceId}
      and r.id = search_texts.record_id and r.deleted_at is null)`.execute(inside)
}

/**
 * Texts that hold all the trigrams, and then the part itself. The index goes along the list of the first of them and looks into the
 * others', so that a few of the rarest find the same in a fraction of the time: which ones, the same statement finds out. A part of one
 * trigram is found by it alone.
 */
function lookUp(from: RawBuilder<unknown>, before: RawBuilder<unknown>, part: string) {
  const rarest = trigramsOf(part).length >= WORTH_CHOOSING ? rarestOf(from, before, part) : sql`${quoted(part)}`
  return sql<{ record_id: string }>`
    select t.record_id from search f cross join search_texts t on t.seq = f.rowid
    where f.text match ${rarest} and ${indexed(from, before)} ${someInTime} and instr(t.text, ${part}) > 0
    union all ${lookThrough(from, before, part)}`
}

const someInTime = andSomeInTime('t.seq')

/** What the index says of a text that is fresh is out of date. */
function indexed(from: RawBuilder<unknown>, before: RawBuilder<unknown>) {
  return sql`f.rowid >= ${from} and f.rowid < ${before} and f.rowid not in (select seq from search_fresh)`
}

/** The fresh texts that hold the part. */
function lookThrough(from: RawBuilder<unknown>, before: RawBuilder<unknown>, part: string) {
  return sql`
    select t.record_id from search_fresh n cross join search_texts t on t.seq = n.seq
    where n.seq >= ${from} and n.seq < ${before} ${someInTime} and instr(t.text, ${part}) > 0`
}

/** With fewer trigrams, or fewer records, choosing costs as much as it spares. */
const WORTH_CHOOSING = 4
const RECORDS_WORTH_CHOOSING = 20_000

/** So many trigrams of a long part are looked at. */
const LOOKED_AT = 24
const CHOSEN = 3
const SAMPLED = 32

/** How rare a trigram is, is told by how far apart the first texts are that have it. */
function rarestOf(from: RawBuilder<unknown>, before: RawBuilder<unknown>, part: string): RawBuilder<unknown> {
  const all = JSON.stringify(trigramsOf(part).slice(0, LOOKED_AT).map(quoted))
  return sql`(case when (select max(seq) from search_texts where seq < ${before}) - ${from} < ${RECORDS_WORTH_CHOOSING}
    then ${quoted(part)} else (select group_concat(phrase, ' AND ') from (
      select g.value as phrase from json_each(${all}) g order by (
        select (max(seq) - min(seq)) / count(*) from (
          select f.rowid as seq from search f where f.text match g.value and f.rowid >= ${from} and f.rowid < ${before}
          limit ${SAMPLED})) desc limit ${CHOSEN})) end)`
}

function trigramsOf(part: string): string[] {
  const letters = [...part.toWellFormed()]
  return [...new Set(letters.slice(0, 1 - TRIGRAM).map((_, at) => letters.slice(at, at + TRIGRAM).join('')))]
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

function scan(from: RawBuilder<unknown>, before: RawBuilder<unknown>, part: string) {
  return sql<{ record_id: string }>`
    select t.record_id from search_texts t
    where t.seq >= ${from} and t.seq < ${before} ${someInTime} and t.text like ${sql.unseen(partPattern(part))} escape '\\'`
}
