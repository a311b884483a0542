import type { PlannerHints } from '../planner-hints.ts'
import { type Sql, sql } from '../sql.ts'
import { IN_TIME } from './transactions.ts'

export const sqliteHints: PlannerHints = {
  // The entries of one key are a small part of the index: a filter by select and range takes less than half the time.
  probesByKey: true,

  // Without the sign, SQLite searches all records that have the value.
  unindexed: (column) => sql`+${column}`,

  notJoined: sql``,

  hasRow: (held, _alias, matching) => sql`exists (select 1 from ${held} ${matching})`,

  // SQLite joins in the order in which a cross join names the tables.
  lookUpEach({ each, table, alias, where }) {
    return sql`from ${each} cross join ${sql.table(table)} ${sql.raw(alias)} where ${where}`
  },

  // The signs make SQLite sort the numbers, so that lookups by them follow the table: that takes half as long.
  distinctRecords: (select) => sql`select +one.record as record from (${select}) one group by +one.record`,

  within: (entries, others) => sql.join([entries, ...others], sql` intersect `),

  list: (column) => sql`json_group_array(${column})`,

  listed: (texts) => sql`select e.value from json_each(${texts}) e`,

  numbers: (column) => sql`json_group_array(${column})`,

  rows: (json, items) =>
    sql`select ${sql.join(
      items.map((item, index) => sql`e.value ->> ${sql.lit(index)} as ${sql.ref(item)}`),
    )} from json_each(${json}) e`,

  andInTime: (numbers) => (numbers === undefined ? sql.raw(`and ${IN_TIME}()`) : andSomeInTime(numbers)),
}

/** One of this many rows checks the time: a check costs as much as reading a few index entries. */
const ROWS_PER_CHECK = 64

export function andSomeInTime(numbers: string): Sql<unknown> {
  return sql.raw(`and (${numbers} & ${ROWS_PER_CHECK - 1} or ${IN_TIME}())`)
}
