import { type SummaryAsked, summaryQuery } from '../../api/summaries.ts'
import { lastMonths } from './months.ts'

/** The resources whose new records are counted. */
export const newResources = ['companies', 'people', 'opportunities'] as const

/** What the open opportunities are worth, by stage. */
export function pipelineQuery(slug: string) {
  return summaryQuery(slug, {
    resource: 'opportunities',
    measure: 'sum',
    field: 'amount',
    group_by: 'custom_fields.stage',
  })
}

/** How many records came in each of the last twelve months. */
export function newRecordsQueries(slug: string) {
  const filter = { created_at: { $gte: `${lastMonths(12)[0]}-01` } }
  return newResources.map((resource) => {
    const asked: SummaryAsked = { resource, measure: 'count', group_by: 'created_at', filter }
    return summaryQuery(slug, asked)
  })
}
