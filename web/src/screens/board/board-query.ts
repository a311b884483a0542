import type { ResourceName } from '@kith/contract/resource'
import { useMemo } from 'react'
import { includedFields, type ListQuery, useListQuery } from '../records/list-query.ts'
import { useCardColumns } from './card-columns.ts'

/** What the cards of a board show, of the records that the address asks for. */
export function useBoardQuery(resource: ResourceName): ListQuery {
  const [columns] = useCardColumns(resource)
  const query = useListQuery(resource, columns)
  return useMemo(() => ({ ...query, fields: includedFields(resource, columns) }), [query, resource, columns])
}
