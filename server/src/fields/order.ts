import type { ManagedField } from '@kith/contract/app/fields'
import { excerpt } from '@kith/contract/excerpt'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { FIELDS_PER_RESOURCE_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { refuseIfAny, refuseValue } from '@kith/contract/refusal'
import type { ResourceName } from '@kith/contract/resource'
import { auditOrder } from '../audit/audit-field.ts'
import { momentAfter } from '../records/moment-after.ts'
import { readInput } from '../scope/read-input.ts'
import { parseResourceName } from '../scope/resource-name.ts'
import type { Scope } from '../scope/scope.ts'
import { findFields, replacePositions, type StoredField } from '../storage/tables/custom-fields.ts'
import { changeFields } from './change-fields.ts'
import { presentManaged } from './managed.ts'
import { parseSent } from './sent.ts'

/** Reorders the active fields of a resource. The request names all of them, each once. */
export function orderFields(scope: Scope, input: unknown): Promise<ManagedField[]> {
  const { entity_type, ids } = readInput(input, (fields) => ({
    entity_type: parseResourceName(fields.text('entity_type'), fields.report, 'entity_type'),
    ids: fields.raw('ids'),
  }))
  return changeFields(scope, 'update', async (inside) => {
    const active = await findActive(inside, entity_type)
    if (!isOrderOf(active, ids)) {
      const message = `The ids must name all active fields of the ${entity_type}, each once: ${active.map(({ id }) => id).join(', ')}.`
      refuseValue('ids', message)
    }
    return (await reorder(inside, active, ids)).map((field) => presentManaged(field))
  })
}

/** The same by the codes of the fields. */
export function orderCodes(
  scope: Scope,
  resource: ResourceName,
  sending: { input: unknown; issues: readonly Issue[] },
): Promise<StoredField[]> {
  return changeFields(scope, 'update', async (inside) => {
    const issues: Issue[] = [...sending.issues]
    const report = reportInto(issues)
    const active = await findActive(inside, resource)
    const raw = parseSent(sending.input, { accepted: ['codes'] }, report).get('codes')
    const ids = parseCodes(raw, active, report)
    refuseIfAny(issues)
    return reorder(inside, active, ids)
  })
}

async function findActive(inside: Scope, resource: ResourceName): Promise<StoredField[]> {
  return (await findFields(inside, resource)).filter((field) => field.archived_at === null)
}

async function reorder(inside: Scope, active: readonly StoredField[], ids: readonly string[]): Promise<StoredField[]> {
  const [first] = active
  if (!first || active.every(({ id }, index) => id === ids[index])) return [...active]
  await replacePositions(inside, ids, momentAfter(inside, active))
  const ordered = await findActive(inside, first.entity_type)
  await auditOrder(inside, active, ordered)
  return ordered
}

function isOrderOf(active: readonly { id: string }[], ids: unknown): ids is string[] {
  if (!Array.isArray(ids) || ids.length !== active.length) return false
  const named = new Set(ids)
  return named.size === ids.length && active.every(({ id }) => named.has(id))
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
