import type { ResourceName } from '@kith/contract/resource'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { type RecordPage, recordsKey } from '../../api/records.ts'
import type { ListQuery } from '../records/list-query.ts'

const PER_PAGE = 100
/** A calendar shows at most this many pages. More would not be readable. */
const PAGES = 5

export const SHOWN_MAX = PER_PAGE * PAGES

/** All records of some days, in the order of their dates, up to a limit. */
export function calendarQuery(slug: string, resource: ResourceName, query: ListQuery) {
  return queryOptions({
    queryKey: [...recordsKey(slug, resource), 'calendar', query],
    queryFn: async ({ signal }) => {
      const load = (page: number) => {
        const body = { per_page: PER_PAGE, page, ...query }
        return call<RecordPage>('POST', `/w/${slug}/v1/${resource}/query`, { body, signal })
      }
      const first = await load(1)
      const data = [...first.data]
      const included = [...(first.included ?? [])]
      for (let page = 2; page <= Math.min(PAGES, first.meta.last_page); page++) {
        const more = await load(page)
        data.push(...more.data)
        included.push(...(more.included ?? []))
      }
      return { data, included, meta: first.meta }
    },
    // The last month stays until the next one has come.
    placeholderData: keepPreviousData,
  })
}
