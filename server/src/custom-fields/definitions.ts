import type { Definitions, FieldDefinition, FieldSet } from '@kith/contract/field-definition'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { loadActiveFields } from '../db/custom-fields.ts'
import type { Scope } from '../scope.ts'

const WORKSPACES_KEPT = 1000

type Kept = { version: number; definitions: Promise<Definitions> }

/** In the order in which they were last asked for, so that the first is the one to forget. */
const kept = new Map<string, Kept>()

/** The active fields of the workspace, from memory unless they changed since they were last asked for. */
export function definitionsOf(scope: Scope): Promise<Definitions> {
  const { id, fields_version } = scope.workspace
  const known = kept.get(id)
  if (known?.version !== fields_version) return load(scope)
  kept.delete(id)
  kept.set(id, known)
  return known.definitions
}

async function load(scope: Scope): Promise<Definitions> {
  const { id, fields_version } = scope.workspace
  const { version, fields } = await loadActiveFields(scope)
  const definitions = byResource(fields)
  // A transaction that has changed the fields sees its own new version, which must not be kept: it may yet be rolled back.
  if (version !== undefined && (version === fields_version || scope.inside !== 'transaction'))
    keep(id, version, definitions)
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
