import type { ResourceName } from '@kith/contract/resource'
import { useFields } from '../../api/fields.ts'
import { useProperties } from '../../properties/use-properties.ts'
import { includedFields, type ListQuery, listQueryOf } from '../records/list-query.ts'
import { useListState } from '../records/list-state.ts'

/** What the cards of a board show, of the records that the address asks for. */
export function useBoardQuery(resource: ResourceName): ListQuery {
  const [state] = useListState()
  const fields = useFields(resource)
  const named = useProperties(resource).filter(({ kind }) => kind === 'reference' || kind === 'links')
  const columns = named.map((property) => ({ property, width: 0 }))
  return { ...listQueryOf(resource, { state, columns, fields }), fields: includedFields(resource, columns) }
}
