import type { FieldDefinition, FieldOption, OptionColor } from '@kith/contract/field-definition'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import { newId } from '@kith/contract/id'
import { VALUES_DEFAULT } from '@kith/contract/limits'
import { schemaOf } from '@kith/contract/registry'
import { type BuiltInName, type ResourceName, resourceNames, type Schema } from '@kith/contract/resource'
import { noteStartingFields } from '../journal/field-entries.ts'
import {
  type Runtime,
  type Scope,
  type ScopeFacts,
  type Tenancy,
  tenancyFor,
  type WorkspaceFacts,
} from '../scope/scope.ts'
import type { Tenant } from '../storage/engines/engine.ts'
import { findAllFields, insertFields, loadFields } from '../storage/tables/custom-fields.ts'
import { loadResources } from '../storage/tables/resources.ts'
import { usualCount, usualSettings } from './draft.ts'
import { isSearched } from './options.ts'

const WORKSPACES_MAX = 1000

/** By workspace, least recently used first. */
const cache = new Map<string, { version: number; schema: Schema }>()

/** Opens a scope with the resources of its workspace, from the cache unless they have changed. */
export function openScope(runtime: Runtime, facts: ScopeFacts): Promise<Scope> {
  return withSchema(tenancyFor(runtime, facts))
}

/** Adds the resources of the workspace to a scope. */
export async function withSchema(tenancy: Tenancy): Promise<Scope> {
  return { ...tenancy, schema: await schemaFor(tenancy) }
}

/** The resources of a workspace, from the cache unless they have changed. */
export async function schemaFor(tenancy: Loading): Promise<Schema> {
  const { id, fields_version } = tenancy.workspace
  const known = cache.get(id)
  if (known?.version !== fields_version) return load(tenancy, fields_version)
  cache.delete(id)
  cache.set(id, known)
  return known.schema
}

type Loading = Tenant & Pick<Tenancy, 'inside'> & { workspace: Pick<WorkspaceFacts, 'id' | 'fields_version'> }

/**
 * Reads rows with the schema of the same moment. The request was admitted earlier, so a field may have changed since
 * then, and a value of a new option would look empty. If `requireSameFields` detects that, the read restarts with the
 * current schema.
 */
export async function reading<T>(scope: Scope, read: (scope: Scope) => Promise<T>): Promise<T> {
  try {
    return await read(scope)
  } catch (error) {
    if (!(error instanceof FieldsChanged)) throw error
    const workspace = { ...scope.workspace, fields_version: error.version }
    return reading(await withSchema({ ...scope, workspace }), read)
  }
}

/** Restarts a read whose rows have another version of the fields than the scope. */
export function requireSameFields({ workspace }: Scope, version: number): void {
  if (version !== workspace.fields_version) throw new FieldsChanged(version)
}

class FieldsChanged extends Error {
  readonly version: number

  constructor(version: number) {
    super('The schema changed while records were read.')
    this.version = version
  }
}

/**
 * The scope with the schema at the version that its transaction sees. It is cached only if the request was admitted
 * with the same version. A later version may come from a transaction in the same group commit, which can restart and
 * then create other fields with the same version number.
 */
export async function atVersion(inside: Scope, fields_version: number): Promise<Scope> {
  const { workspace } = inside
  if (workspace.fields_version === fields_version) return inside
  const known = cache.get(workspace.id)
  const schema = known?.version === fields_version ? known.schema : await load(inside, workspace.fields_version)
  return { ...inside, workspace: { ...workspace, fields_version }, schema }
}

/** The scope of a transaction that changes the schema, with the schema as it sees it. */
export async function atNow(inside: Scope): Promise<Scope> {
  const { version = 0, schema } = await read(inside)
  return { ...inside, workspace: { ...inside.workspace, fields_version: version }, schema }
}

/** `committed` is a version that is committed. Later versions that a transaction sees may be rolled back. */
async function load(scope: Loading, committed: number): Promise<Schema> {
  const { version, schema } = await read(scope)
  if (version !== undefined && (version === committed || scope.inside !== 'transaction')) {
    remember(scope.workspace.id, version, schema)
  }
  return schema
}

async function read(scope: Tenant): Promise<{ version: number | undefined; schema: Schema }> {
  const { version, fields } = await loadFields(scope)
  const { version: another, rows, ...workspace } = await loadResources(scope)
  // The schema changed in between.
  if (version !== another) return read(scope)
  return { version, schema: schemaOf(rows, fields, workspace) }
}

function remember(id: string, version: number, schema: Schema): void {
  cache.delete(id)
  cache.set(id, { version, schema })
  if (cache.size <= WORKSPACES_MAX) return
  const oldest = cache.keys().next().value
  if (oldest !== undefined) cache.delete(oldest)
}

/** Creates the starting fields of every resource that has no fields in this workspace yet. */
export async function createDefaultFields(inside: Tenancy): Promise<void> {
  const at = inside.now()
  const known = new Set((await findAllFields(inside)).map((field) => field.entity_type))
  const missing = resourceNames.filter((resource) => !known.has(resource))
  if (missing.length === 0) return
  const fields = missing.flatMap((resource) =>
    startingFieldsOf(resource).map((field, index) => rowOf(field, { resource, position: index + 1, at })),
  )
  const inserted = await insertFields(inside, fields)
  await noteStartingFields(inside, inserted)
  const searched = inserted.filter((field) => isSearched(field.type)).map((field) => field.number)
  await inside.engine.search.addFields(inside.db, inside.workspace.number, searched)
}

function rowOf(
  { code, name, type, ...field }: StartingField,
  { resource, position, at }: { resource: ResourceName; position: number; at: Date },
): Omit<FieldDefinition, 'number'> {
  const count = field.identifying ? { multiple: true, max_values: VALUES_DEFAULT } : usualCount(type)
  return {
    id: newId(at.getTime()),
    key: code,
    entity_type: resource,
    code,
    name,
    type,
    description: null,
    required: false,
    unique: field.identifying ?? false,
    ...count,
    position,
    system: field.system ?? false,
    settings: usualSettings(type),
    options: optionsOf(field.options ?? {}, at),
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
  }
}

function optionsOf(options: StartingOptions, at: Date): FieldOption[] {
  return Object.entries(options).map(([label, [color, probability]]) => {
    return { id: newId(at.getTime()), label, color, ...(probability !== undefined && { probability }) }
  })
}

/** By label. A stage of deals has a probability. */
type StartingOptions = Readonly<Record<string, readonly [color: OptionColor, probability?: number]>>

type StartingField = {
  code: string
  name: string
  type: FieldTypeName
  system?: true
  /** A list of values, none of which two records may share. */
  identifying?: true
  options?: StartingOptions
}

const stages = {
  Prospecting: ['gray', 10],
  Qualification: ['blue', 20],
  'Needs Analysis': ['indigo', 30],
  'Value Proposition': ['purple', 40],
  'Decision Makers': ['pink', 50],
  'Perception Analysis': ['orange', 60],
  Proposal: ['amber', 70],
  Negotiation: ['teal', 85],
  'Closed Won': ['green', 100],
  'Closed Lost': ['red', 0],
} as const

/** The fields that every workspace starts with. System fields cannot be archived or deleted. */
const startingFields: Readonly<Record<BuiltInName, readonly StartingField[]>> = {
  companies: [
    { code: 'domains', name: 'Domains', type: 'domain', system: true, identifying: true },
    { code: 'linkedin', name: 'LinkedIn', type: 'link' },
    { code: 'icp', name: 'ICP', type: 'toggle' },
  ],
  people: [
    { code: 'emails', name: 'Emails', type: 'email', system: true, identifying: true },
    { code: 'phone_number', name: 'Phone number', type: 'phone' },
    { code: 'job_title', name: 'Job title', type: 'text' },
    { code: 'linkedin', name: 'LinkedIn', type: 'link' },
  ],
  opportunities: [
    { code: 'stage', name: 'Stage', type: 'select', system: true, options: stages },
    { code: 'amount', name: 'Amount', type: 'currency', system: true },
    { code: 'close_date', name: 'Close date', type: 'date', system: true },
    { code: 'owner', name: 'Owner', type: 'member' },
  ],
  tasks: [
    {
      code: 'status',
      name: 'Status',
      type: 'select',
      system: true,
      options: { 'To do': ['gray'], 'In progress': ['blue'], Done: ['green'] },
    },
    {
      code: 'priority',
      name: 'Priority',
      type: 'select',
      system: true,
      options: { Low: ['gray'], Medium: ['amber'], High: ['red'] },
    },
    { code: 'due_date', name: 'Due date', type: 'date-time', system: true },
    { code: 'description', name: 'Description', type: 'rich-text' },
  ],
  notes: [{ code: 'body', name: 'Body', type: 'rich-text', system: true }],
}

/** The fields with which a resource starts. An own resource has none. */
export function startingFieldsOf(name: ResourceName): readonly StartingField[] {
  const byName: Readonly<Record<string, readonly StartingField[]>> = startingFields
  return byName[name] ?? []
}
