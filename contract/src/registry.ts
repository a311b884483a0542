import type { FieldDefinition } from './field-definition.ts'
import { filterablesOf } from './filterable.ts'
import type { Resource, ResourceName, Schema } from './resource.ts'
import { companies } from './resources/companies.ts'
import { notes } from './resources/notes.ts'
import { opportunities } from './resources/opportunities.ts'
import { people } from './resources/people.ts'
import { tasks } from './resources/tasks.ts'

const all = { companies, people, opportunities, tasks, notes } as const

/** All resources, with the literal types from which the client derives its own. */
export type Registry = typeof all

/** The resources of a workspace with these active fields, which are in their order. */
export function schemaOf(fields: readonly FieldDefinition[]): Schema {
  const schema = new Map<string, Resource>()
  for (const declaration of Object.values(all)) {
    const list = fields.filter(({ entity_type }) => entity_type === declaration.type)
    const own = { list, byCode: new Map(list.map((field) => [field.code, field])) }
    const filterables = filterablesOf(declaration, Object.values(all))
    schema.set(declaration.type, { ...declaration, fields: own, filterables, schema })
  }
  return schema
}

/** The schema of a workspace that has defined nothing. */
export const generalSchema: Schema = schemaOf([])

// The names are those of the declarations.
export const registry = Object.fromEntries(generalSchema) as Readonly<Record<ResourceName, Resource>>
