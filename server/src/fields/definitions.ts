import type { Definitions, FieldDefinition, FieldSet } from '@kith/contract/field-definition'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { loadActiveFields } from '../storage/tables/custom-fields.ts'

const WORKSPACES_KEPT = 1000

type Kept = { version: number; definitions: Promise<Definitions> }

/** In the order in which they were last asked for, so that the first is the one to forget. */
const kept = new Map<string, Kept>()

/** The active fields of the workspace, from memory unless they changed since they were last asked for. */
export function definitionsOf(scope: Scope): Promise<Definitions> {
  const { id, fields_version } = scope.workspace
  const known = kept.get(id)
  if (known?.version !== fields_version) return load(scope, fields_version)
  kept.delete(id)
  kept.set(id, known)
  return known.definitions
}

/**
 * The fields at the version that a transaction sees. They are kept only if the request was admitted with the same
 * version: a later one may be of a transaction in the same group commit, which can be run again and then make other
 * fields under the same number.
 */
export function definitionsAt(inside: Scope, version: number): Promise<Definitions> {
  const known = kept.get(inside.workspace.id)
  return known?.version === version ? known.definitions : load(inside, inside.workspace.fields_version)
}

/**
 * `committed` is a version that others see as well. What a transaction sees of later changes may yet be rolled back.
 */
async function load(scope: Scope, committed: number): Promise<Definitions> {
  const { version, fields } = await loadActiveFields(scope)
  const definitions = byResource(fields)
  if (version !== undefined && (version === committed || scope.inside !== 'transaction'))
    keep(scope.workspace.id, version, definitions)
  return definitions
}

function keep(id: string, version: number, definitions: Definitions): void {
  kept.delete(id)
  kept.set(id, { version, definitions: Promise.resolve(definitions) })
  if (kept.size <= WORKSPACES_KEPT) return
  const oldest = kept.keys().next().value
  if (oldest !== undefined) kept.delete(oldest)
}

function byResource(fields: readonly FieldDefinition[]): Definitions {
  const sets = resourceNames.map((resource) => [resource, fieldSet(fields, resource)])
  // Every resource has its entry, which the entries of an object cannot say.
  return Object.fromEntries(sets) as Definitions
}

function fieldSet(fields: readonly FieldDefinition[], resource: ResourceName): FieldSet {
  const list = fields.filter((field) => field.entity_type === resource)
  return { list, byCode: new Map(list.map((field) => [field.code, field])) }
}
