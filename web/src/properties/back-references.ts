import type { Inverse } from '@kith/contract/field-definition'
import { CUSTOM_FIELDS, type Resource, type ResourceName } from '@kith/contract/resource'
import type { RecordInput } from '../api/patch-record.ts'
import { filterAt } from './property.ts'

/**
 * Records of another resource that name this one: by a reference, or by one of several links. `attribute` is the name
 * by which the others write it, and `relation` the one by which they are included and filtered.
 */
export type BackReference = {
  resource: ResourceName
  attribute: string
  relation: string
  many: boolean
  /** Of a reference field: what this resource calls the others. */
  inverse?: Inverse
}

/** Everything whose records can name one of a resource, each by one relation. */
export function kinOf(resource: Resource): BackReference[] {
  return [...backReferencesOf(resource), ...inversesOf(resource)]
}

export function backReferencesOf({ type, schema }: Resource): BackReference[] {
  return [...schema.values()].flatMap((other) => [...referringTo(type, other), ...linkedTo(type, other)])
}

function referringTo(to: ResourceName, { type: resource, relations }: Resource): BackReference[] {
  return Object.entries(relations).flatMap(([relation, one]) =>
    one.kind === 'reference' && one.to === to ? [{ resource, attribute: one.column, relation, many: false }] : [],
  )
}

function linkedTo(to: ResourceName, { type: resource, links }: Resource): BackReference[] {
  return Object.entries(links).flatMap(([attribute, link]) =>
    link.to === to ? [{ resource, attribute, relation: link.relation, many: true }] : [],
  )
}

/** The relations that reference fields give to a resource. */
function inversesOf({ relations }: Resource): BackReference[] {
  return Object.values(relations).flatMap((one): BackReference[] => {
    const inverse = one.kind === 'inverse' ? one.field.settings.inverse : undefined
    if (one.kind !== 'inverse' || !inverse) return []
    const { code, multiple: many } = one.field
    const relation = CUSTOM_FIELDS + code
    return [{ resource: one.to, attribute: relation, relation, many, inverse }]
  })
}

/** The number of these records, among the attributes of the one that they name. */
export function countAttribute({ resource, inverse }: BackReference): string {
  return `${inverse?.code ?? resource}_count`
}

/** The value with which another record names this one. */
export function backReferenceInput({ attribute, many }: BackReference, id: string): RecordInput {
  const value = many ? [id] : id
  if (!attribute.startsWith(CUSTOM_FIELDS)) return { [attribute]: value }
  return { custom_fields: { [attribute.slice(CUSTOM_FIELDS.length)]: value } }
}

/** The filter under which a list shows the kin of a record. */
export function backReferenceFilter({ relation }: BackReference, id: string): Record<string, unknown> {
  return filterAt(relation, { $in: [id] })
}
