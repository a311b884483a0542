import { isDeepStrictEqual } from 'node:util'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { refuseIfAny } from '@kith/contract/refusal'
import { auditField } from '../audit/audit-field.ts'
import { momentAfter } from '../records/moment-after.ts'
import type { Scope } from '../scope/scope.ts'
import { replaceField, type Shift, type StoredField, shiftFields } from '../storage/tables/custom-fields.ts'
import { countDuplicates } from '../storage/tables/field-values.ts'
import { changeFields } from './change-fields.ts'
import { changeOptions } from './change-options.ts'
import { draftKeys, parseDraft } from './draft.ts'
import { type FieldAddress, findField, refuseField } from './find-field.ts'
import { optionKeys } from './option-edits.ts'
import { parseSent, type Sent } from './sent.ts'

const fixedKeys = ['code', 'type', 'entity_type'] as const
/** Read-only keys: accepted and ignored, so that what was read can be sent back. */
const readOnlyKeys = ['created_at', 'updated_at']
const keys = [...new Set([...fixedKeys, ...draftKeys, ...optionKeys, ...readOnlyKeys])]

/** `duplicates`: how many values more than one record holds, if the request makes the field unique. */
type UpdatedField = { field: StoredField; duplicates: number }

/** Changes a field: absent keeps, null clears. */
export function updateField(scope: Scope, address: FieldAddress, input: unknown): Promise<UpdatedField> {
  return changeFields(scope, 'update', async (inside) => {
    const { field, others } = await findField(inside, address)
    requireActive(field)
    const issues: Issue[] = [...(address.issues ?? [])]
    const report = reportInto(issues)
    const sent = parseSent(input, { accepted: keys }, report)
    checkFixed(sent, field, report)
    const at = inside.now()
    const wanted = { ...field, ...parseDraft(sent, { before: field, type: field.type, others, at }, report) }
    refuseIfAny(issues)
    const { field: changed } = await storeField(inside, { before: field, wanted, others })
    const duplicates = sent.get('unique') === true ? await countDuplicates(inside, changed) : 0
    return { field: changed, duplicates }
  })
}

/** Code, type and resource may be sent as they are. */
function checkFixed(sent: Sent, field: StoredField, report: Report): void {
  for (const key of fixedKeys) {
    if (sent.has(key) && sent.get(key) !== field[key])
      report(key, `The ${key} of a field never changes; it is ${field[key]}.`)
  }
}

/** Refuses to change an archived field. */
export function requireActive({ code, archived_at }: StoredField): void {
  if (archived_at !== null) refuseField(`The field ${code} is archived. Restore it before you change it.`)
}

type Wanted = { before: StoredField; wanted: StoredField; others: readonly StoredField[] }

/** Stores a field as wanted, if it is not so already. `cleared`: how many live records lost an option. */
export async function storeField(
  inside: Scope,
  { before, wanted, others }: Wanted,
): Promise<{ field: StoredField; cleared: number }> {
  if (isDeepStrictEqual(wanted, before)) return { field: before, cleared: 0 }
  const at = momentAfter(inside, [before, ...others])
  const after = { ...wanted, updated_at: at }
  const moved = await shiftFields(inside, before.entity_type, { ...makingWay(before.position, after.position), at })
  await replaceField(inside, after)
  const cleared = await changeOptions(inside, before, after)
  await auditField(inside, 'update', { field: after, before, moved })
  return { field: after, cleared }
}

/** The fields between the old and the new position move by one. */
function makingWay(before: number, after: number): Omit<Shift, 'at'> {
  return after < before ? { from: after, to: before - 1, by: 1 } : { from: before + 1, to: after, by: -1 }
}
