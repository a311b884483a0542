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

  list: (column) => sql`string_agg(${column}, ',')`,

  listed: (texts) => sql`select unnest(string_to_array(${texts}, ',')) as value`,

  // The engine sets `statement_timeout`.
  andInTime: () => NOTHING,
}
