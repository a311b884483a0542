import { fieldTypes } from '@kith/contract/field-types'
import type { ResourceName } from '@kith/contract/resource'
import { type Field, useFields } from '../../api/fields.ts'
import { useListState } from '../records/list-state.ts'

/** The fields whose options can make the columns of a board. */
export function useBoardFields(resource: ResourceName): Field[] {
  return useFields(resource).filter(({ type }) => fieldTypes[type].hasOptions && !fieldTypes[type].list)
}

/** The field that makes them now: the one that the address names, else the first. */
export function useBoardField(resource: ResourceName): Field | undefined {
  const [{ group_by }] = useListState()
  const fields = useBoardFields(resource)
  return fields.find(({ code }) => code === group_by || `custom_fields.${code}` === group_by) ?? fields[0]
}

/** The currency field that is summed up in the head of each column, where there is one. */
export function useSummedField(resource: ResourceName): Field | undefined {
  return useFields(resource).find(({ settings }) => settings.currency !== undefined)
}
