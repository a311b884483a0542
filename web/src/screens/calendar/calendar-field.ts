import { fieldTypes } from '@kith/contract/field-types'
import type { ResourceName } from '@kith/contract/resource'
import { type Field, useFields } from '../../api/fields.ts'
import { useListState } from '../records/list-state.ts'

/** The fields whose dates can place records in a calendar. */
export function useDateFields(resource: ResourceName): Field[] {
  return useFields(resource).filter(({ type }) => fieldTypes[type].isTime)
}

/** The field that places them now: the one that the address names, else the first. */
export function useDateField(resource: ResourceName): Field | undefined {
  const [{ date_by }] = useListState()
  const fields = useDateFields(resource)
  return fields.find(({ code }) => code === date_by) ?? fields[0]
}
