import { isDeepStrictEqual } from 'node:util'
import { excerpt } from '@kith/contract/excerpt'
import { targetOf } from '@kith/contract/field-types/reference'
import { fold } from '@kith/contract/fold'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { OWN_RESOURCES_MAX } from '@kith/contract/limits'
import { newResource, resourceChanges, resourceOrder } from '@kith/contract/own-resource'
import { isObject } from '@kith/contract/raw-input'
import { refuse, refuseIfAny, refuseValue } from '@kith/contract/refusal'
import { generalSchema } from '@kith/contract/registry'
import {
  attributeNames,
  isOwn,
  OWN_FROM,
  type Resource,
  type ResourceRow,
  resourceIn,
  type Schema,
} from '@kith/contract/resource'
import { camelCase, codeOfName, isReserved, isResourceCode } from '@kith/contract/resource-code'
import { readObject, readSent } from '@kith/contract/shape'
import { atNow } from '../fields/definitions.ts'
import { type AuditAction, type Change, noteWrite } from '../journal/write.ts'
import { momentAfter } from '../records/changes.ts'
import { isExpected, type Precondition } from '../records/expected.ts'
import { requireResource } from '../scope/read-input.ts'
import type { Scope } from '../scope/scope.ts'
import { documentField, labelField } from '../storage/engines/search-fields.ts'
import { findAllFields } from '../storage/tables/custom-fields.ts'
import {
  insertResource,
  markResourceDeleted,
  replaceResource,
  replaceResourceOrder,
  wasUsed,
} from '../storage/tables/resources.ts'
import { removeField } from './define.ts'
import { changeFields } from './managed.ts'
import { fieldsReferringTo, takenNames } from './references.ts'

/** A request that names a resource. `issues` are problems of the request, which are reported after the precondition. */
export type ResourceAddress = { code: string; expected?: Precondition; issues?: readonly Issue[] }

/** A resource as a change left it, and the version of the schema. */
export type ChangedResource = { resource: Resource; version: number }

/** Every change sees the resources as the others before it left them. */
function changing<T>(
  scope: Scope,
  ability: 'create' | 'update' | 'delete',
  change: (inside: Scope, rows: readonly ResourceRow[]) => Promise<T>,
): Promise<T> {
  return changeFields(scope, ability, async (inside) => {
    const now = await atNow(inside)
    return change(now, rowsOf(now.schema))
  })
}

/** All resources: the built-in ones, then the own ones, archived ones last. */
function rowsOf(schema: Schema): ResourceRow[] {
  return [...schema.values(), ...schema.archived.values()].map(({ row }) => row)
}

/** Makes a resource. It has no custom fields yet, and is the last in the order. */
export function createResource(
  scope: Scope,
  { input, issues: known }: { input: unknown; issues: readonly Issue[] },
): Promise<ChangedResource> {
  return changing(scope, 'create', async (inside, rows) => {
    const issues: Issue[] = [...known]
    const report = reportInto(issues)
    const { code, singular_code, ...names } = readObject(input, newResource, report)
    const own = rows.filter(isOwn)
    if (own.length >= OWN_RESOURCES_MAX) {
      report('name', `A workspace has at most ${OWN_RESOURCES_MAX} resources of its own, archived ones included.`)
    }
    checkNames(names, [...rows, ...usual], report)
    const codes = codesOf({ ...names, code, singular_code }, { rows, schema: inside.schema }, report)
    refuseIfAny(issues)
    const at = momentAfter(inside, rows)
    const row: ResourceRow = {
      // Numbers of deleted resources are not used again.
      number: Math.max(inside.schema.lastNumber, OWN_FROM - 1) + 1,
      ...codes,
      ...names,
      position: own.filter(({ archived_at }) => archived_at === null).length + 1,
      created_at: at,
      updated_at: at,
      archived_at: null,
      since: (await wasUsed(inside, codes.code)) ? at : null,
    }
    await insertResource(inside, row)
    const fields = [labelField(row), documentField(row)]
    await inside.engine.search.addFields(inside.db, inside.workspace.number, fields)
    const changes = Object.entries({ ...codes, ...names }).flatMap(([key, value]): Change[] =>
      value === null ? [] : [[key, null, value]],
    )
    await note(inside, 'create', row, changes)
    return shown(inside, row)
  })
}

/** What the built-in resources are called in a workspace that has renamed none. */
const usual = [...generalSchema.values()].map(({ row }) => row)

/** The names are one set: no two resources of a workspace are called the same. */
function checkNames(
  { name, singular }: { name: string; singular: string },
  others: readonly ResourceRow[],
  report: Report,
): void {
  const holderOf = (word: string) =>
    others.find((row) => [row.name, row.singular].some((one) => fold(one) === fold(word)))
  for (const [path, word] of [['name', name] as const, ['singular', singular] as const]) {
    const holder = word === '' ? undefined : holderOf(word)
    if (holder)
      report(path, `The ${path} ${excerpt(word)} is taken by the resource ${holder.code}. Choose another one.`)
  }
}

type Codes = { code: string; singular_code: string }

/** The codes as they were sent, or as the names make them. Never changed to be free: a caller chooses them. */
function codesOf(
  sent: { name: string; singular: string; code: unknown; singular_code: unknown },
  { rows, schema }: { rows: readonly ResourceRow[]; schema: Schema },
  report: Report,
): Codes {
  const taken = new Map(rows.flatMap((row) => [row.code, row.singular_code].map((one) => [camelCase(one), row.code])))
  const names = namesOfBuiltIn()
  // Tasks and notes get a relation, a count and a list of ids.
  const linking = ['tasks', 'notes'].map((name) => takenNames(resourceIn(schema, name)))
  const inverse = (path: keyof Codes, code: string) => {
    const made = path === 'code' ? [code, `${code}_count`, `${code}Count`] : [`${code}_ids`]
    return linking.some((taken) => made.some((name) => taken.has(camelCase(name))))
  }
  const read = (path: keyof Codes, from: string) => {
    const raw = sent[path] ?? null
    const code = raw === null ? codeOfName(from) : raw
    // A name that is missing is reported already.
    if (raw === null && from === '') return ''
    const source = path === 'code' ? 'name' : 'singular'
    const made = raw === null ? ` It was made from the ${source}: send a ${path}.` : ''
    if (typeof code !== 'string' || !isResourceCode(code)) {
      const rule =
        'must begin with a letter from a to z and go on with such letters, digits and underscores, 2 to 40 in all'
      report(path, `The ${path} ${rule}.${made}`)
      return ''
    }
    const holder = taken.get(camelCase(code))
    if (holder) report(path, `The ${path} ${code} is taken by the resource ${holder}.${made}`)
    else if (isReserved(code, names)) report(path, `The ${path} ${code} is reserved.${made}`)
    else if (inverse(path, code))
      report(path, `The ${path} ${code} is the name of a relation of tasks or notes already.${made}`)
    return code
  }
  const [code, singular_code] = [read('code', sent.name), read('singular_code', sent.singular)]
  if (code !== '' && camelCase(code) === camelCase(singular_code)) {
    report('singular_code', `The singular_code must differ from the code ${code}.`)
  }
  return { code, singular_code }
}

/** Every name that a built-in resource has. */
function namesOfBuiltIn(): ReadonlySet<string> {
  const names = [...generalSchema.values()].flatMap((resource) => [
    resource.type,
    resource.one,
    ...attributeNames(resource),
    ...Object.keys(resource.relations),
    ...Object.keys(resource.counts),
    ...resource.filterables.keys(),
  ])
  return new Set(names.map(camelCase))
}

/** Changes what a resource is called. Its codes never change. */
export function updateResource(scope: Scope, address: ResourceAddress, input: unknown): Promise<ChangedResource> {
  return changing(scope, 'update', async (inside, rows) => {
    const { row: before } = find(inside, address)
    if (before.archived_at !== null) refuseValue('code', `The resource ${before.code} is archived. Restore it first.`)
    const issues: Issue[] = [...(address.issues ?? [])]
    const report = reportInto(issues)
    const sent = readSent(input, resourceChanges, report, { ignored: READ_ONLY })
    checkFixed(input, before, report)
    const wanted = { ...before, ...sent }
    // A built-in resource can get its usual name back.
    const others = [...rows, ...usual].filter(({ number }) => number !== before.number)
    checkNames(wanted, others, report)
    refuseIfAny(issues)
    if (isDeepStrictEqual(wanted, before)) return shown(inside, before)
    const row = { ...wanted, updated_at: momentAfter(inside, [before]) }
    await replaceResource(inside, row)
    await note(inside, 'update', row, differences(before, row))
    return shown(inside, row)
  })
}

/** Accepted, so that a schema can be sent back as it was read. */
const READ_ONLY = [
  'code',
  'singular_code',
  'version',
  'own',
  'position',
  'created_at',
  'updated_at',
  'archived_at',
  'attributes',
  'relations',
  'counts',
  'custom_fields',
]

function checkFixed(input: unknown, before: ResourceRow, report: Report): void {
  for (const key of ['code', 'singular_code'] as const) {
    const sent = isObject(input) ? input[key] : undefined
    if (sent !== undefined && sent !== before[key]) {
      report(key, `The ${key} of a resource never changes; it is ${before[key]}.`)
    }
  }
}

/** Hides a resource with its records. Everything stays, so that it can be restored. */
export function archiveResource(scope: Scope, address: ResourceAddress): Promise<void> {
  return changing(scope, 'delete', async (inside) => {
    const { row } = find(inside, address)
    requireOwn(row, 'archived')
    refuseIfAny([...(address.issues ?? [])])
    if (row.archived_at !== null) return
    refuseReferred(inside, row)
    const at = momentAfter(inside, [row])
    const archived = { ...row, archived_at: at, updated_at: at }
    await replaceResource(inside, archived)
    await note(inside, 'archive', archived)
  })
}

/** A resource cannot go while an active field of another one refers to it. */
function refuseReferred({ schema }: Scope, { code }: ResourceRow): void {
  const fields = [...schema.values()].flatMap(({ type, fields }) =>
    type === code ? [] : fields.references.filter((field) => targetOf(field) === code),
  )
  if (fields.length === 0) return
  const named = fields.map((field) => `${field.entity_type}.${field.code}`).join(', ')
  refuseValue(
    'resource',
    `The resource ${code} cannot be archived: fields refer to it (${named}). Archive these first.`,
  )
}

export function restoreResource(scope: Scope, address: ResourceAddress): Promise<ChangedResource> {
  return changing(scope, 'update', async (inside) => {
    const { row } = find(inside, address)
    refuseIfAny([...(address.issues ?? [])])
    if (row.archived_at === null) return shown(inside, row)
    const restored = { ...row, archived_at: null, updated_at: momentAfter(inside, [row]) }
    await replaceResource(inside, restored)
    await note(inside, 'restore', restored)
    return shown(inside, restored)
  })
}

/** Deletes an archived resource forever. Its records go in the background, and its codes are free at once. */
export function deleteResource(scope: Scope, address: ResourceAddress): Promise<void> {
  return changing(scope, 'delete', async (inside) => {
    const { row } = find(inside, address)
    requireOwn(row, 'deleted')
    refuseIfAny([...(address.issues ?? [])])
    if (row.archived_at === null) {
      refuseValue('permanently', `The resource ${row.code} must be archived before it can be deleted.`)
    }
    for (const field of fieldsReferringTo(await findAllFields(inside), row.code)) {
      if (field.entity_type !== row.code) await removeField(inside, field)
    }
    await markResourceDeleted(inside, row, inside.now().toISOString())
    await note(inside, 'delete', row)
  })
}

/** Puts the own resources that are not archived in an order. The request names all of them. */
export function orderResources(
  scope: Scope,
  { input, issues: known }: { input: unknown; issues: readonly Issue[] },
): Promise<{ resources: Resource[]; version: number }> {
  return changing(scope, 'update', async (inside, rows) => {
    const issues: Issue[] = [...known]
    const report = reportInto(issues)
    const active = rows.filter((row) => isOwn(row) && row.archived_at === null)
    const { codes = [] } = readSent(input, resourceOrder, report, { whole: true })
    checkOrder(codes, active, report)
    refuseIfAny(issues)
    // Archived ones keep their places.
    const places = active.map(({ position }) => position).sort((one, other) => one - other)
    const at = momentAfter(inside, active)
    const moved = codes.flatMap((code, index): ResourceRow[] => {
      const row = active.find((one) => one.code === code)
      const position = places[index]
      return !row || position === undefined || row.position === position ? [] : [{ ...row, position, updated_at: at }]
    })
    if (moved.length > 0) {
      await replaceResourceOrder(inside, moved)
      const before = new Map(active.map((row) => [row.code, row.position]))
      for (const row of moved) await note(inside, 'update', row, [['position', before.get(row.code), row.position]])
    }
    const { schema, workspace } = await atNow(inside)
    return { resources: [...schema.values()].filter(isOwn), version: workspace.fields_version }
  })
}

function checkOrder(codes: readonly string[], active: readonly ResourceRow[], report: Report): void {
  const known = active.map(({ code }) => code)
  for (const [index, code] of codes.entries()) {
    if (!known.includes(code))
      report(`codes.${index}`, `No own resource has the code ${excerpt(code)}. Accepted: ${known.join(', ')}.`)
    else if (codes.indexOf(code) !== index) report(`codes.${index}`, `The code ${code} is named twice.`)
  }
  const missing = known.filter((code) => !codes.includes(code))
  if (missing.length > 0) report('codes', `The codes must name all own resources. Missing: ${missing.join(', ')}.`)
}

/** The resource of an address, archived or not. Refuses if it does not meet the precondition. */
function find(inside: Scope, { code, expected }: ResourceAddress): Resource {
  const found = requireResource(inside.schema, code, 'or archived')
  const { updated_at } = found.row
  if (isExpected(expected, found.row)) return found
  const message =
    `The resource ${code} was last changed at ${updated_at}, which If-Match does not name. ` +
    'Nothing was written: read the schema again, then decide.'
  return refuse({ kind: 'precondition_failed', message, updated_at, tag: `"${updated_at}"` })
}

function requireOwn(row: ResourceRow, done: string): void {
  if (!isOwn(row)) refuseValue('resource', `The resource ${row.code} is part of every workspace and cannot be ${done}.`)
}

/** The resource as the change left it. */
async function shown(inside: Scope, { code }: ResourceRow): Promise<ChangedResource> {
  const { schema, workspace } = await atNow(inside)
  return { resource: requireResource(schema, code), version: workspace.fields_version }
}

const kinds = {
  create: 'created',
  update: 'updated',
  archive: 'deleted',
  restore: 'restored',
  delete: undefined,
} as const

/** The audit entry and the entry of the feed. For the feed, archiving is a deletion; a later deletion has none. */
async function note(
  inside: Scope,
  action: AuditAction & keyof typeof kinds,
  row: ResourceRow,
  changes: readonly Change[] = [],
): Promise<void> {
  const kind = kinds[action]
  const at = row.updated_at
  const change =
    kind === 'updated'
      ? { kind, at, changed: changes.map(([name]) => name) }
      : kind === undefined
        ? undefined
        : { kind, at }
  await noteWrite(inside, [{ action, resource: 'schemas', record_id: row.code, name: row.name, changes, change }])
}

function differences(before: ResourceRow, after: ResourceRow): Change[] {
  return (['name', 'singular', 'description', 'icon', 'color'] as const).flatMap((key): Change[] =>
    before[key] === after[key] ? [] : [[key, before[key], after[key]]],
  )
}
