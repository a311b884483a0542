import { isDeepStrictEqual } from 'node:util'
import { fieldChanges, fixedKeys, newField } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { targetOf } from '@kith/contract/field-types/reference'
import { newId } from '@kith/contract/id'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { FIELDS_PER_RESOURCE_MAX } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import { refuseIfAny, refuseValue } from '@kith/contract/refusal'
import type { ResourceName } from '@kith/contract/resource'
import { readSent } from '@kith/contract/shape'
import { atNow } from '../fields/definitions.ts'
import { blankDraft, countActive, parseDraft } from '../fields/draft.ts'
import { codeFor, isSearched, type SentField } from '../fields/options.ts'
import { auditField } from '../journal/field-entries.ts'
import { momentAfter } from '../records/changes.ts'
import type { Scope } from '../scope/scope.ts'
import {
  countDeletedOfCode,
  findFields,
  insertFields,
  markFieldDeleted,
  replaceField,
  type Shift,
  type StoredField,
  shiftFields,
} from '../storage/tables/custom-fields.ts'
import { countShared, valueIndex } from '../storage/tables/duplicates.ts'
import { changeFields, type FieldAddress, findField, refuseField } from './managed.ts'
import { parseReference, withoutReference } from './references.ts'
import { leaveToClear, leaveToRemove, leaveToSearch } from './settle.ts'

/** Creates a field of a resource. */
export function createField(scope: Scope, resource: ResourceName, input: unknown): Promise<StoredField> {
  return defineField(scope, resource, { input, issues: [] })
}

/** An input, and the problems of the rest of its request. */
type FieldBody = { input: unknown; issues: readonly Issue[] }

/** Like `createField`, for a request with more than a body. */
export function defineField(scope: Scope, resource: ResourceName, sending: FieldBody): Promise<StoredField> {
  return changeFields(scope, 'create', async (inside) => {
    const others = await findFields(inside, resource)
    const draft = await parseField(inside, resource, { ...sending, others })
    const at = momentAfter(inside, others)
    const shift = { from: draft.position, to: countActive(others), by: 1, at } as const
    const moved = await shiftFields(inside, resource, shift)
    const [inserted] = await insertFields(inside, [draft])
    if (!inserted) throw new Error('The field was not inserted.')
    const field = { ...inserted, archived_at: null }
    if (isSearched(field.type)) await inside.engine.search.addFields(inside.db, inside.workspace.number, [field.number])
    await auditField(inside, 'create', { field, moved })
    return field
  })
}

async function parseField(
  inside: Scope,
  resource: ResourceName,
  { input, issues: before, others }: FieldBody & { others: readonly StoredField[] },
) {
  const issues: Issue[] = [...before]
  const report = reportInto(issues)
  const at = inside.now()
  const sent = readSent(input, newField, report, { whole: true })
  checkRoom(resource, { sent, others }, report)
  checkFree(sent.code, others, report)
  // Without a type only the name can be checked. Every type takes the same names, so check it as a text field.
  const { type = 'text', name } = sent
  const known = sent.type ? { ...sent, settings: withoutReference(sent.settings) } : { name }
  const draft = parseDraft(known, { before: blankDraft(type, others), type, others, at }, report)
  const reference = sent.type ? parseReference(sent, { schema: (await atNow(inside)).schema, type }, report) : {}
  refuseIfAny(issues)
  const own = sent.code ?? codeFor(draft.name, new Set(others.map((field) => field.code)))
  const id = newId(at.getTime())
  const times = { created_at: at.toISOString(), updated_at: at.toISOString(), archived_at: null }
  const key = keyOf(own, await countDeletedOfCode(inside, resource, own))
  const settings = { ...draft.settings, ...reference }
  return { id, key, entity_type: resource, code: own, type, ...draft, settings, system: false, ...times }
}

function checkRoom(
  resource: ResourceName,
  { sent, others }: { sent: SentField; others: readonly StoredField[] },
  report: Report,
): void {
  if (others.length >= FIELDS_PER_RESOURCE_MAX) {
    const message = `The ${resource} have ${FIELDS_PER_RESOURCE_MAX} custom fields already, archived ones among them, and cannot have more.`
    report('entity_type', message)
  }
  if (sent.entity_type !== undefined && sent.entity_type !== resource) {
    report('entity_type', `The entity_type must be ${resource} here.`)
  }
}

function checkFree(code: string | null | undefined, others: readonly StoredField[], report: Report): void {
  const holder = others.find((field) => field.code === code)
  if (!holder) return
  const state = holder.archived_at === null ? 'field' : 'archived field'
  report('code', `The code is taken by the ${state} "${holder.name}". Choose another one.`)
}

/**
 * The key of a new field. Records may still hold values of deleted fields under their keys, so a reused code gets a new
 * key.
 */
function keyOf(code: string, deleted: number): string {
  return deleted === 0 ? code : `${code}~${deleted + 1}`
}

/**
 * Changes a field: absent keeps, null clears. `duplicates` is how many values several records share, if the request
 * makes the field unique.
 */
export async function updateField(
  scope: Scope,
  address: FieldAddress,
  input: unknown,
): Promise<{ field: StoredField; duplicates: number }> {
  const { field, isUnique } = await changeFields(scope, 'update', async (inside) => {
    const { field, others } = await findField(inside, address)
    requireActive(field)
    const issues: Issue[] = [...(address.issues ?? [])]
    const report = reportInto(issues)
    const sent = readSent(input, fieldChanges, report, { ignored: fixedKeys })
    checkFixed(input, field, report)
    const at = inside.now()
    const { type } = field
    const known = { ...sent, settings: withoutReference(sent.settings) }
    const draft = parseDraft(known, { before: field, type, others, at }, report)
    const reference = parseReference(sent, { schema: (await atNow(inside)).schema, type, before: field }, report)
    const wanted = { ...field, ...draft, settings: { ...draft.settings, ...reference } }
    refuseIfAny(issues)
    const changed = await storeField(inside, { before: field, wanted, others })
    return { field: changed, isUnique: sent.unique === true }
  })
  // Takes long where many records have a value, so not while others wait for the lock.
  return { field, duplicates: isUnique ? await countShared(scope, valueIndex(scope, field, 'value')) : 0 }
}

/** Code, type and resource may be sent unchanged. */
function checkFixed(input: unknown, field: StoredField, report: Report): void {
  for (const key of ['code', 'type', 'entity_type'] as const) {
    const sent = isObject(input) ? input[key] : undefined
    if (sent !== undefined && sent !== field[key])
      report(key, `The ${key} of a field never changes; it is ${field[key]}.`)
  }
}

/** Refuses to change an archived field. */
export function requireActive({ code, archived_at }: StoredField): void {
  if (archived_at !== null) refuseField(`The field ${code} is archived. Restore it before you change it.`)
}

/** Stores a field, if it differs. */
export async function storeField(
  inside: Scope,
  { before, wanted, others }: { before: StoredField; wanted: StoredField; others: readonly StoredField[] },
): Promise<StoredField> {
  if (isDeepStrictEqual(wanted, before)) return before
  const at = momentAfter(inside, [before, ...others])
  const after = { ...wanted, updated_at: at }
  const moved = await shiftFields(inside, before.entity_type, { ...makingWay(before.position, after.position), at })
  await replaceField(inside, after)
  const left = new Set(after.options.map((option) => option.id))
  const gone = before.options.filter((option) => !left.has(option.id))
  const cause = await auditField(inside, 'update', { field: after, before, moved })
  if (gone.length > 0) await leaveToClear(inside, after, { gone, cause })
  return after
}

/** The fields between the old and the new position move by one. */
function makingWay(before: number, after: number): Omit<Shift, 'at'> {
  return after < before ? { from: after, to: before - 1, by: 1 } : { from: before + 1, to: after, by: -1 }
}

/** Hides a field. Its values and its position stay, so that it can be restored. */
export function archiveField(scope: Scope, address: FieldAddress): Promise<StoredField> {
  return changeFields(scope, 'delete', async (inside) => {
    const { field, others } = await findField(inside, address)
    refuseIfAny([...(address.issues ?? [])])
    if (field.archived_at !== null) return field
    if (field.system) refuseField(`${field.name} is a system field. It can be renamed and moved, but not archived.`)
    const at = momentAfter(inside, [field, ...others])
    const archived = { ...field, archived_at: at, updated_at: at }
    await replaceField(inside, archived)
    const shift = { from: field.position + 1, to: countActive(others) + 1, by: -1, at } as const
    const moved = await shiftFields(inside, field.entity_type, shift)
    await leaveToSearch(inside, field)
    await auditField(inside, 'archive', { field: archived, moved })
    return archived
  })
}

/** Shows an archived field again, with its values and at its old position. */
export function restoreField(scope: Scope, address: FieldAddress): Promise<StoredField> {
  return changeFields(scope, 'update', async (inside) => {
    const { field, others } = await findField(inside, address)
    refuseIfAny([...(address.issues ?? [])])
    if (field.archived_at === null) return field
    requireTarget(await atNow(inside), field)
    const active = countActive(others)
    const position = Math.min(field.position, active + 1)
    const at = momentAfter(inside, [field, ...others])
    const restored = { ...field, position, archived_at: null, updated_at: at }
    const moved = await shiftFields(inside, field.entity_type, { from: position, to: active, by: 1, at })
    await replaceField(inside, restored)
    await leaveToSearch(inside, field)
    await auditField(inside, 'restore', { field: restored, moved })
    return restored
  })
}

/** Refuses to show a field whose records are archived. */
function requireTarget({ schema }: Scope, field: StoredField): void {
  if (fieldTypes[field.type].refersTo !== 'records' || schema.has(targetOf(field))) return
  refuseValue('target', `The field refers to ${targetOf(field)}, which is archived. Restore that resource first.`)
}

/** Deletes an archived field forever. Its code and name can be used again; later fields do not get its values. */
export function deleteField(scope: Scope, address: FieldAddress): Promise<void> {
  return changeFields(scope, 'delete', async (inside) => {
    const { field } = await findField(inside, address)
    refuseIfAny([...(address.issues ?? [])])
    if (field.system) refuseField(`${field.name} is a system field. It can be renamed and moved, but not deleted.`)
    if (field.archived_at === null) refuseField(`The field ${field.code} must be archived before it can be deleted.`)
    await removeField(inside, field)
  })
}

/** Deletes a field; its values go in the background. */
export async function removeField(inside: Scope, field: StoredField): Promise<void> {
  await markFieldDeleted(inside, field.id, inside.now().toISOString())
  await leaveToRemove(inside, field)
  await auditField(inside, 'delete', { field })
}
