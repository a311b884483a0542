import type { ManagedField } from '@kith/contract/app/fields'
import { excerpt } from '@kith/contract/excerpt'
import { parseId } from '@kith/contract/id'
import type { Issue, Report } from '@kith/contract/issue'
import { FIELDS_PER_RESOURCE_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { parseOrRefuse, refuseUnknownId } from '@kith/contract/refusal'
import type { ResourceName } from '@kith/contract/resource'
import { auditOrder } from '../audit/audit-field.ts'
import { requireAbilities } from '../records/allow.ts'
import { momentAfter } from '../records/changes.ts'
import { parseResourceName, readInput } from '../scope/read-input.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadLiveCounts } from '../storage/tables/counts.ts'
import { findAllFields, findFields, replacePositions, type StoredField } from '../storage/tables/custom-fields.ts'
import { countShared, valueIndex } from '../storage/tables/duplicates.ts'
import { loadHolderCounts } from '../storage/tables/field-values.ts'
import { changeFields } from './change-fields.ts'
import { listFields } from './list.ts'
import { presentField } from './present.ts'
import { parseSent } from './sent.ts'

/** In larger workspaces the list does not count values. */
const COUNTED_MAX = 50_000

/** All fields with how much they are used. */
export async function listManagedFields(scope: Scope, input: unknown): Promise<ManagedField[]> {
  const entity_type = readInput(input, (fields) => {
    const sent = fields.optionalText('entity_type')
    return sent === undefined ? undefined : parseResourceName(sent, fields.report, 'entity_type')
  })
  return inSnapshot(scope, async (inside) => {
    const fields = await listFields(inside, entity_type)
    const live = Object.values(await loadLiveCounts(inside)).reduce((sum, count) => sum + count, 0)
    const counts = live <= COUNTED_MAX ? await loadHolderCounts(inside) : undefined
    return fields.map((field) => {
      const { id, system, archived_at } = field
      return { id, ...presentField(field), system, archived_at, values: counts ? (counts.get(id) ?? 0) : null }
    })
  })
}

/** How many values are held by more than one record, and so prevent a unique field. */
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
      const raw = parseSent(sending.input, { accepted: ['codes'] }, report).get('codes')
      return parseCodes(raw, active, report)
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

/** The ids of the fields with these codes. Reports what is missing, unknown or named twice. */
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
