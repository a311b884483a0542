import type { Definitions } from '@kith/contract/field-definition'
import { type BuiltInName, resourceNames } from '@kith/contract/resource'
import { useMemo } from 'react'
import { type Field, useAllFields } from '../../../api/fields.ts'

/** The fields of the workspace in the form in which the rules of imports take them. */
export function useDefinitions(): Definitions {
  const fields = useAllFields()
  return useMemo(() => definitionsOf(fields), [fields])
}

function definitionsOf(fields: readonly Field[]): Definitions {
  const sets = resourceNames.map((resource) => {
    const own = fields.filter(({ entity_type }) => entity_type === resource)
    // An import does not use the other properties of a field, which only the service knows.
    const list = own.map((field) => ({ ...field, key: field.code, system: false }))
    return [resource, { list, byCode: new Map(list.map((field) => [field.code, field])) }]
  })
  // Made from all names of resources.
  return Object.fromEntries(sets) as Record<BuiltInName, Definitions[BuiltInName]>
}
