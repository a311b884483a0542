import type { Definitions, FieldDefinition, FieldSet } from '@kith/contract/field-definition'
import { perResource, type ResourceName } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { loadActiveFields } from '../storage/tables/custom-fields.ts'

const WORKSPACES_MAX = 1000

type Cached = { version: number; definitions: Promise<Definitions> }

/** By workspace, the least recently used first. */
const cache = new Map<string, Cached>()

/** The active fields of the workspace, from the cache unless they have changed. */
export function definitionsOf(scope: Scope): Promise<Definitions> {
  const { id, fields_version } = scope.workspace
  const known = cache.get(id)
  if (known?.version !== fields_version) return load(scope, fields_version)
  cache.delete(id)
  cache.set(id, known)
  return known.definitions
}

/**
 * Reads rows with the definitions of the moment at which they are read. The request was admitted earlier, so a field
 * may have changed since: then a value of a new option would look empty. If `requireSameFields` finds that, the read
 * starts again with the current definitions.
 */
export async function readingFields<T>(
  scope: Scope,
  read: (scope: Scope, definitions: Definitions) => Promise<T>,
): Promise<T> {
  try {
    return await read(scope, await definitionsOf(scope))
  } catch (error) {
    if (!(error instanceof FieldsChanged)) throw error
    const workspace = { ...scope.workspace, fields_version: error.version }
    return readingFields({ ...scope, workspace }, read)
  }
}

/** Ends a read whose rows were read with another version of the fields than that of the scope. */
export function requireSameFields({ workspace }: Scope, version: number): void {
  if (version !== workspace.fields_version) throw new FieldsChanged(version)
}

class FieldsChanged extends Error {
  readonly version: number

  constructor(version: number) {
    super('The field definitions changed while records were read.')
    this.version = version
  }
}

/**
 * The fields at the version that a transaction sees. They are cached only if the request was admitted with the same
 * version. A later version may come from a transaction in the same group commit, which can run again and then create
 * other fields under the same number.
 */
export function definitionsAt(inside: Scope, version: number): Promise<Definitions> {
  const known = cache.get(inside.workspace.id)
  return known?.version === version ? known.definitions : load(inside, inside.workspace.fields_version)
}

/** `committed` is a version that is committed. Later versions that a transaction sees may be rolled back. */
async function load(scope: Scope, committed: number): Promise<Definitions> {
  const { version, fields } = await loadActiveFields(scope)
  const definitions = perResource((resource) => fieldSet(fields, resource))
  if (version !== undefined && (version === committed || scope.inside !== 'transaction')) {
    remember(scope.workspace.id, version, definitions)
  }
  return definitions
}

function remember(id: string, version: number, definitions: Definitions): void {
  cache.delete(id)
  cache.set(id, { version, definitions: Promise.resolve(definitions) })
  if (cache.size <= WORKSPACES_MAX) return
  const oldest = cache.keys().next().value
  if (oldest !== undefined) cache.delete(oldest)
}

function fieldSet(fields: readonly FieldDefinition[], resource: ResourceName): FieldSet {
  const list = fields.filter((field) => field.entity_type === resource)
  return { list, byCode: new Map(list.map((field) => [field.code, field])) }
}
