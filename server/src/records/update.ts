import { isDeepStrictEqual } from 'node:util'
import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { parseRecordInput, type RecordInput } from '@kith/contract/record-input'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { Claim } from '../storage/tables/field-values.ts'
import { findForChange, type RecordRow, type StoredRecord } from '../storage/tables/records.ts'
import { requireAbilities } from './allow.ts'
import { parseAsked, parseBody, type Sent } from './ask.ts'
import { auditChanges } from './audit-changes.ts'
import { applyChanges, type Changes, type Changing, isNothing } from './changes.ts'
import {
  type Checked,
  checkClaims,
  claimsOf,
  findNamed,
  keysOf,
  lockClaims,
  reportMissing,
  reportRequired,
  reportWrong,
} from './check-input.ts'
import { linkChanges } from './link-changes.ts'
import { type Presented, parseStored, presentRecords, presentValue } from './present.ts'
import { idInPath, refuseNotFound } from './read.ts'
import { checkRecordSize } from './record-size.ts'
import { writingOne } from './writing.ts'

/** Changes what is sent and keeps what is not. */
export async function updateRecord(
  scope: Scope,
  resource: Resource,
  { id, body, asked }: Sent & { id: string },
): Promise<Presented> {
  requireAbilities(scope, ['update'])
  const recordId = idInPath(resource, id)
  return writingOne(scope, resource, async (inside, definitions) => {
    const issues: Issue[] = []
    const report = reportInto(issues)
    const answer = parseAsked(asked, { resource, definitions }, report)
    const raw = parseBody(body, report)
    const fields = definitions[resource.type]
    const input = raw && parseRecordInput(raw, { resource, fields, creating: false }, report)
    if (input) await lockClaims(inside, claimsOf(input.values))
    // In the lock order: what it refers to, then the record itself.
    const [existing, current] = await Promise.all([
      input && findNamed(inside, resource, { input }),
      findForChange(inside, resource, recordId),
    ])
    if (!current) refuseNotFound(resource, id)
    const sentChanges = input && existing && { input, existing }
    const changes = sentChanges && (await checkChanges(inside, resource, { current, ...sentChanges, report }))
    refuseIfAny(issues)
    const row = changes ? await changeRecord(inside, resource, { current, changes }) : current
    return presentRecords(inside, resource, { definitions, rows: [row], ...answer })
  })
}

/** What an input would change of a record. Everything wrong with that is reported. */
export async function checkChanges(
  inside: Scope,
  resource: Resource,
  { current, input, existing, report }: Checked & { current: StoredRecord; report: Report },
): Promise<Changes> {
  const stored = parseStored(current.custom_fields)
  reportNew(input.wrong, stored, report)
  const values = changedValues(stored, input.values)
  for (const [field, value] of values) if (field.required && value === null) reportRequired(field, report)
  const references = changedReferences(current, input.references)
  const links = await linkChanges(inside, resource, { id: current.id, links: input.links })
  reportMissing(resource, { input, existing }, report)
  await checkClaims(inside, { claims: newClaims(stored, values), except: [current.id] }, report)
  const label = input.label !== undefined && input.label !== current[resource.label] ? input.label : undefined
  checkRecordSize(current, { label, values }, report)
  return { label, references, values, links }
}

/** Stores the changes, if there are any, and returns the record as it then is. */
export async function changeRecord(
  inside: Scope,
  resource: Resource,
  { current, changes }: Changing,
): Promise<RecordRow> {
  if (isNothing(changes)) return current
  const entry = { action: 'update', resource: resource.type, record_id: current.id } as const
  return applyChanges(inside, resource, {
    current,
    changes,
    entries: [{ ...entry, changes: auditChanges(resource, current, changes) }],
  })
}

/**
 * Reports wrong values, but for those that are sent as the record shows them: they stay as they are, though its fields
 * became stricter.
 */
function reportNew(wrong: RecordInput['wrong'], stored: Readonly<Record<string, StoredValue>>, report: Report): void {
  for (const [field, value] of wrong) {
    if (!isDeepStrictEqual(value.sent, presentValue(stored[field.key], field))) reportWrong(value, report)
  }
}

export function changedValues(
  stored: Readonly<Record<string, StoredValue>>,
  sent: ReadonlyMap<FieldDefinition, StoredValue | null>,
): Map<FieldDefinition, StoredValue | null> {
  const changed = new Map<FieldDefinition, StoredValue | null>()
  for (const [field, value] of sent) {
    if (JSON.stringify(stored[field.key] ?? null) !== JSON.stringify(value)) changed.set(field, value)
  }
  return changed
}

/** Compared with what is shown: a null that stands for a deleted record, sent back, changes nothing. */
export function changedReferences(
  current: StoredRecord,
  sent: ReadonlyMap<string, string | null>,
): Map<string, string | null> {
  const shown: Readonly<Record<string, unknown>> = current
  return new Map([...sent].filter(([key, id]) => (shown[key] ?? null) !== id))
}

/** The values of unique fields that the record does not hold yet. */
function newClaims(
  stored: Readonly<Record<string, StoredValue>>,
  values: ReadonlyMap<FieldDefinition, StoredValue | null>,
): Claim[] {
  return claimsOf(values).filter(({ field, key }) => {
    const held = stored[field.key]
    return held === undefined || !keysOf(field, held).includes(key)
  })
}
