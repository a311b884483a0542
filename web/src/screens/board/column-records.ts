import type { ResourceName } from '@kith/contract/resource'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { Field } from '../../api/fields.ts'
import type { ColumnMark } from '../../api/patch-columns.ts'
import { type RecordPage, recordsKey } from '../../api/records.ts'
import { joined, type ListQuery } from '../records/list-query.ts'
import { type BoardColumn, columnFilter } from './columns.ts'

/** More than fit on a screen. */
const PER_PAGE = 15

type Asked = { field: Field; column: BoardColumn; query: ListQuery }

/** The records of one column, a few at a time. */
export function columnQuery(slug: string, resource: ResourceName, { field, column, query }: Asked) {
  const filter = joined(query.filter, columnFilter(field, column))
  const asked = { ...query, ...(filter && { filter }) }
  const mark: ColumnMark = { code: field.code, option: column.option?.id ?? null }
  return infiniteQueryOptions({
    queryKey: [...recordsKey(slug, resource), 'column', column.id, asked],
    queryFn: ({ pageParam, signal }) => {
      const body = { per_page: PER_PAGE, page: pageParam, ...asked }
      return call<RecordPage>('POST', `/w/${slug}/v1/${resource}/query`, { body, signal })
    },
    initialPageParam: 1,
    getNextPageParam: ({ meta }) => (meta.current_page < meta.last_page ? meta.current_page + 1 : undefined),
    meta: { column: mark },
  })
}
