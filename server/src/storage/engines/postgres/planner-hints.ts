import type { PlannerHints } from '../planner-hints.ts'
import { sql } from '../sql.ts'

const NOTHING = sql``

export const postgresHints: PlannerHints = {
  probesByKey: false,

  unindexed: (column) => column,

  notJoined: sql`offset 0`,

  // Without the subselect, PostgreSQL searches all records that have the value.
  hasRow(held, alias, matching) {
    return sql`exists (select 1 from (select * from ${held} offset 0) ${sql.raw(alias)} where true ${matching})`
  },

  // A plain join depends on an estimate of the number of rows. A wrong one scans the whole table.
  lookUpEach({ each, table, alias, where }) {
    const rows = sql`select * from ${sql.table(table)} ${sql.raw(alias)} where ${where} offset 0`
    return sql`from ${each} cross join lateral (${rows}) ${sql.raw(alias)} where true`
  },

  distinctIds: (select) => sql`select distinct one.record_id as record_id from (${select}) one`,

  // A hash of the other entries takes half the time of an intersect, which hashes all of them. Without `is true` the
  // planner makes it a join, and looks up each entry.
  within(entries, others) {
    const isIn = others.map((other) => sql`(one.record_id in (select two.record_id from (${other}) two)) is true`)
    return sql`${entries} where ${sql.join(isIn, sql` and `)}`
  },

  // Sorting all rows takes twice as long.
  paired: (keys, numbers) => sql`select k.key, n.x from (${keys}) k full join (${numbers}) n
    on n.record_id = k.record_id`,

  list: (column) => sql`string_agg(${column}, ',')`,

  listed: (texts) => sql`select unnest(string_to_array(${texts}, ',')) as value`,

  // The engine sets `statement_timeout`.
  andInTime: () => NOTHING,
  andInTimeById: () => NOTHING,
}
