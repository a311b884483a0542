import { registry } from '@kith/contract/registry'
import type { BuiltInName } from '@kith/contract/resource'

/** Records of another resource that name this one: by a reference, or by one of several links. */
export type BackReference = { resource: BuiltInName; attribute: string; relation: string; many: boolean }

export function backReferencesOf(type: BuiltInName): BackReference[] {
  return Object.values(registry).flatMap((other) => [...referringTo(type, other.type), ...linkedTo(type, other.type)])
}

function referringTo(type: BuiltInName, resource: BuiltInName): BackReference[] {
  return Object.entries(registry[resource].relations).flatMap(([relation, one]) =>
    one.kind === 'reference' && one.to === type ? [{ resource, attribute: one.column, relation, many: false }] : [],
  )
}

function linkedTo(type: BuiltInName, resource: BuiltInName): BackReference[] {
  return Object.entries(registry[resource].links).flatMap(([attribute, { to, relation }]) =>
    to === type ? [{ resource, attribute, relation, many: true }] : [],
  )
}

/** The filter under which a list shows the kin of a record. */
export function backReferenceFilter({ relation }: BackReference, id: string): Record<string, unknown> {
  return { [relation]: { $in: [id] } }
}
