import type { Definitions, FieldDefinition } from '@kith/contract/field-definition'
import { parseFilter } from '@kith/contract/parse-filter'
import { type Resource, type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Field } from '../../../api/fields.ts'
import type { FilterObject } from '../list-state.ts'

/** What the service would say against a filter, told while it is being built: it is the service's own parser. */
export function checkFilter(
  filter: FilterObject | undefined,
  resource: Resource,
  fields: readonly Field[],
): string | undefined {
  let problem: string | undefined
  const context = { resource, definitions: definitionsOf(fields), loose: false }
  parseFilter(filter, context, (_path, message) => {
    problem ??= message
  })
  return problem
}

function definitionsOf(fields: readonly Field[]): Definitions {
  const of = (resource: ResourceName) => {
    const list = fields.filter(({ entity_type }) => entity_type === resource).map(asDefinition)
    return { list, byCode: new Map(list.map((field) => [field.code, field])) }
  }
  const [companies, people, opportunities, tasks, notes] = resourceNames
  return {
    companies: of(companies),
    people: of(people),
    opportunities: of(opportunities),
    tasks: of(tasks),
    notes: of(notes),
  }
}

/** Where values are kept, and whether a field is the system's own, is nothing to a filter. */
function asDefinition(field: Field): FieldDefinition {
  return { ...field, key: field.code, system: false }
}
