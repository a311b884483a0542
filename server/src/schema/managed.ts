import type { Ability } from '@kith/contract/abilities'
import type { ManagedField } from '@kith/contract/app/fields'
import { excerpt } from '@kith/contract/excerpt'
import { fieldOrder } from '@kith/contract/field-definition'
import { parseFieldListing } from '@kith/contract/field-listing'
import { parseId } from '@kith/contract/id'
import type { Issue, Report } from '@kith/contract/issue'
import { FIELDS_PER_RESOURCE_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { parseOrRefuse, refuse, refuseUnknownId, refuseValue } from '@kith/contract/refusal'
import { type ResourceName, resourceIn, withArchived } from '@kith/contract/resource'
import { readSent } from '@kith/contract/shape'
import { type FieldObject, fieldObject, fieldTag, presentField } from '../fields/json-schema.ts'
import { auditOrder } from '../journal/field-entries.ts'
import { momentAfter } from '../records/changes.ts'
import { isExpected, type Precondition, type RawParameters } from '../records/expected.ts'
import type { PageOf } from '../records/trash/trash.ts'
import { requireAbilities, requirePermission } from '../scope/permissions.ts'
import { parseResource, readInput } from '../scope/read-input.ts'
import { inSnapshot, inTransaction, type Scope } from '../scope/scope.ts'
import { fieldsLock, loadFieldsVersion } from '../storage/engines/transactions.ts'
import { findAllFields, findFields, replacePositions, type StoredField } from '../storage/tables/custom-fields.ts'
import { countShared, valueIndex } from '../storage/tables/duplicates.ts'
import { loadHolderCounts } from '../storage/tables/field-values.ts'
import { loadLiveCounts } from '../storage/tables/records.ts'
import { settleFields } from './settle.ts'

/** In larger workspaces the list does not count values. */
const COUNTED_MAX = 50_000

/** All fields with their usage. */
export async function listManagedFields(scope: Scope, input: unknown): Promise<ManagedField[]> {
  const entity_type = readInput(input, (fields) => {
    const sent = fields.optionalText('entity_type')
    return sent === undefined ? undefined : parseResource(scope.schema, sent, fields.report, 'entity_type').type
  })
  return inSnapshot(scope, async (inside) => {
    const fields = await listFields(inside, entity_type)
    const live = Object.values(await loadLiveCounts(inside)).reduce((sum, count) => sum + count, 0)
    const counts = live <= COUNTED_MAX ? await loadHolderCounts(inside) : undefined
    return fields.map((field) => {
      const { id, system, archived_at } = field
      return {
        id,
        ...presentField(field),
        options: field.options,
        system,
        archived_at,
        values: counts ? (counts.get(field.number) ?? 0) : null,
      }
    })
  })
}

/** How many values several records share, which prevents a unique field. */
export async function countFieldDuplicates(scope: Scope, id: string): Promise<number> {
  requireAbilities(scope, ['read'])
  const fieldId = parseId(id)
  const field = (await findAllFields(scope)).find((candidate) => candidate.id === fieldId)
  if (field) return countShared(scope, valueIndex(scope, field, 'value'))
  return refuseUnknownId('custom field', id)
}

/** Reorders the active fields of a resource. The request names the codes of all of them, each once. */
export function orderFields(
  scope: Scope,
  resource: ResourceName,
  sending: { input: unknown; issues: readonly Issue[] },
): Promise<StoredField[]> {
  return changeFields(scope, 'update', async (inside) => {
    const active = await findActive(inside, resource)
    const ids = parseOrRefuse(sending.issues, (report) => {
      return parseCodes(readSent(sending.input, fieldOrder, report).codes, active, report)
    })
    if (active.every(({ id }, index) => id === ids[index])) return [...active]
    await replacePositions(inside, ids, momentAfter(inside, active))
    const ordered = await findActive(inside, resource)
    await auditOrder(inside, active, ordered)
    return ordered
  })
}

async function findActive(inside: Scope, resource: ResourceName): Promise<StoredField[]> {
  return (await findFields(inside, resource)).filter((field) => field.archived_at === null)
}

/** The ids of the fields with these codes. Reports missing, unknown and duplicate codes. */
function parseCodes(raw: unknown, active: readonly StoredField[], report: Report): string[] {
  const codes = active.map((field) => field.code)
  if (!Array.isArray(raw)) {
    report('codes', `The codes must be a list of the codes of all active fields: ${codes.join(', ')}.`)
    return []
  }
  const ids = new Map<string, string>()
  raw.slice(0, MOST).forEach((sent: unknown, index) => {
    const field = active.find(({ code }) => code === sent)
    const path = `codes.${index}`
    if (!field) report(path, noSuchCode(sent, codes))
    else if (ids.has(field.code)) report(path, `The code ${field.code} is named twice.`)
    else ids.set(field.code, field.id)
  })
  const missing = codes.filter((code) => !ids.has(code))
  if (missing.length > 0) report('codes', `The codes must name all active fields. Missing: ${missing.join(', ')}.`)
  return [...ids.values()]
}

/** More than a resource can have. */
const MOST = 2 * FIELDS_PER_RESOURCE_MAX

function noSuchCode(sent: unknown, codes: readonly string[]): string {
  if (typeof sent !== 'string') return 'A code must be a string.'
  return `No active field has the code ${excerpt(sent)}. Accepted: ${codes.join(', ')}.${suggestion(sent, codes)}`
}

/** All fields that are not deleted, in order of resource, the archived ones of each after the active ones. */
export async function listFields(scope: Scope, entity_type?: ResourceName): Promise<StoredField[]> {
  requireAbilities(scope, ['read'])
  const fields = await findAllFields(scope)
  const resources = entity_type ? [entity_type] : [...withArchived(scope.schema).keys()]
  return resources.flatMap((resource) => {
    const own = fields.filter((field) => field.entity_type === resource)
    return [...own.filter((field) => field.archived_at === null), ...own.filter((field) => field.archived_at !== null)]
  })
}

/** One page of the active fields, in order of resource, then position. */
export async function listFieldDefinitions(scope: Scope, asked: RawParameters): Promise<PageOf<FieldObject>> {
  requireAbilities(scope, ['read'])
  const listing = parseOrRefuse(asked.issues, (report) => parseFieldListing(asked.raw, scope.schema, report))
  const { entity_type, page, per_page } = listing
  const resources = entity_type ? [resourceIn(scope.schema, entity_type)] : [...scope.schema.values()]
  const fields = resources.flatMap((resource) => resource.fields.list)
  const start = (page - 1) * per_page
  const data = fields.slice(start, start + per_page).map(fieldObject)
  return { data, page, per_page, total: fields.length }
}

/** Checks the permission and runs a change of the workspace's fields, one at a time. */
export async function changeFields<T>(
  scope: Scope,
  ability: Ability,
  change: (inside: Scope) => Promise<T>,
): Promise<T> {
  requireAbilities(scope, [ability])
  requirePermission(scope, 'manage_fields')
  return inTransactionAndAfter(scope, async (inside) => {
    // First, so that running writes end with the old fields, and later ones begin with the new.
    await inside.engine.lock(inside.db, [fieldsLock(inside.workspace.id)])
    return change(inside)
  })
}

/** Runs a change in a transaction. After the commit, updates the records. */
async function inTransactionAndAfter<T>(scope: Scope, change: (inside: Scope) => Promise<T>): Promise<T> {
  const changed = await inTransaction(scope, change)
  if (!scope.inside) await settleFields(scope)
  return changed
}

/** Which field is meant. */
export type FieldAddress = {
  entity_type: ResourceName
  code: string
  /** The time of the last change that the caller expects. */
  expected?: Precondition
  /** Problems of the request, which are reported after these checks. */
  issues?: readonly Issue[]
}

/**
 * The field, archived or not, and the others of its resource. Refuses if it does not exist or does not meet the
 * precondition.
 */
export async function findField(
  scope: Scope,
  { entity_type, code, expected }: FieldAddress,
): Promise<{ field: StoredField; others: StoredField[] }> {
  const fields = await findFields(scope, entity_type)
  const field = fields.find((candidate) => candidate.code === code)
  if (!field) {
    const codes = fields.map((candidate) => candidate.code)
    const message = `No custom field with the code ${excerpt(code)} exists for ${entity_type}.${suggestion(code, codes)}`
    return refuse({ kind: 'not_found', message })
  }
  if (!isExpected(expected, field)) refuseChanged(field)
  return { field, others: fields.filter((candidate) => candidate !== field) }
}

function refuseChanged(field: StoredField): never {
  const { code, updated_at } = field
  const message =
    `The field ${code} was last changed at ${updated_at}, which If-Match does not name. ` +
    'Nothing was written: read the definition again, then decide.'
  refuse({ kind: 'precondition_failed', message, updated_at, tag: fieldTag(field) })
}

/** Refuses an action that the state of the field does not allow. */
export function refuseField(message: string): never {
  return refuseValue('code', message)
}

/** Changes definitions and returns their new version. */
export function withVersion<T>(
  scope: Scope,
  change: (inside: Scope) => Promise<T>,
): Promise<{ changed: T; version: number }> {
  return inTransactionAndAfter(scope, async (inside) => {
    const changed = await change(inside)
    return { changed, version: await loadFieldsVersion(inside.db, inside.workspace.id) }
  })
}
