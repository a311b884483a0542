import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { useMemo } from 'react'
import { useAllFields } from '../api/fields.ts'
import { listPropertiesOf, type Property, propertiesOf } from './property.ts'

/** The properties of a resource in this workspace, its custom fields among them. */
export function useProperties(resource: ResourceName): Property[] {
  const fields = useAllFields()
  return useMemo(
    () =>
      propertiesOf(
        registry[resource],
        fields.filter((field) => field.entity_type === resource),
      ),
    [resource, fields],
  )
}

/** The properties that a list of the resource can show: those of related records as well. */
export function useListProperties(resource: ResourceName): Property[] {
  const fields = useAllFields()
  return useMemo(() => listPropertiesOf(registry[resource], fields), [resource, fields])
}
