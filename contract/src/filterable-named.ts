import { declareRelation } from './filterable.ts'
import { CUSTOM_FIELDS, type Filterable, type Resource, relationOf, resourceIn } from './resource.ts'

/** What can be asked about something native, or about a reference field by its name `custom_fields.<code>`. */
export function filterableNamed(name: string, resource: Resource): Filterable | undefined {
  const native = resource.filterables.get(name)
  if (native) return native
  const relation = name.startsWith(CUSTOM_FIELDS) ? relationOf(resource, name) : undefined
  return relation && declareRelation(name, relation)
}

/** The resource at the other end of a relation to records. */
export function relatedResource(name: string, resource: Resource): Resource | undefined {
  const filterable = filterableNamed(name, resource)
  return filterable?.kind === 'record' ? resourceIn(resource.schema, filterable.to) : undefined
}
