import type { Resource } from '@kith/contract/resource'
import type { Group, SummaryQuery } from '@kith/contract/summary'
import type { Reader } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import type { Periods } from './periods.ts'
import { baseOf, planOf } from './summary.ts'

/** The records with one period, one owner and one option. The sum is an exact text, or null without any value. */
export type ForecastCell = {
  period: number | null
  owner: string | null
  option: string | null
  count: number
  sum: string | null
}

type ForecastQuery = Pick<SummaryQuery, 'filter' | 'field'> & {
  stage: Group
  date: Group
  owner: Group | undefined
  periods: Periods | null
  limit: number
}

/** The records that meet a filter, in groups by period, owner and option: one statement for all of them. */
export async function loadForecast(scope: Reader, resource: Resource, asked: ForecastQuery): Promise<ForecastCell[]> {
  const { stage, date, owner, field, periods, limit } = asked
  const groups = owner ? [stage, date, owner] : [stage, date]
  const plan = await planOf(scope, resource, asked)
  const base = baseOf(scope, { groups, field, periods: [undefined, periods], plan })
  const keys = groups.map((_, index) => sql.ref(`b.k${index}`))
  const sum: Sql<unknown> = scope.engine.decimals.sum(sql`b.x`)
  return sql<ForecastCell>`
    select b.k0 as option, b.k1 as period, ${owner ? sql`b.k2` : sql`cast(null as text)`} as owner,
      count(*) as count, cast(${sum} as text) as sum
    from (${base.select}) b group by ${sql.join(keys)} limit ${sql.unseen(limit)}`.all(scope.db)
}
