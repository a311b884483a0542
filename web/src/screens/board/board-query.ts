import type { ResourceName } from '@kith/contract/resource'
import { useProperties } from '../../properties/use-properties.ts'
import { includedFields, type ListQuery, useListQuery } from '../records/list-query.ts'

/** What the cards of a board show, of the records that the address asks for. */
export function useBoardQuery(resource: ResourceName): ListQuery {
  const named = useProperties(resource).filter(({ kind }) => kind === 'reference' || kind === 'links')
  const columns = named.map((property) => ({ property, width: 0 }))
  return { ...useListQuery(resource, columns), fields: includedFields(resource, columns) }
}
