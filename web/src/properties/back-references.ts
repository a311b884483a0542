import type { Resource, ResourceName } from '@kith/contract/resource'

/** Records of another resource that name this one: by a reference, or by one of several links. */
export type BackReference = { resource: ResourceName; attribute: string; relation: string; many: boolean }

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

/** The filter under which a list shows the kin of a record. */
export function backReferenceFilter({ relation }: BackReference, id: string): Record<string, unknown> {
  return { [relation]: { $in: [id] } }
}
