import { isDeepStrictEqual } from 'node:util'
import type { FieldDefinition, FieldOption } from '@kith/contract/field-definition'
import { type Issue, type Report, reportInto } from '@kith/contract/issue'
import { refuseIfAny } from '@kith/contract/refusal'
import { auditField } from '../audit/audit-field.ts'
import { momentAfter } from '../records/changes.ts'
import { finishWrite, type RecordEntry } from '../records/store.ts'
import { parseStored, presentValue } from '../records/stored-values.ts'
import type { Scope } from '../scope/scope.ts'
import { replaceField, type Shift, type StoredField, shiftFields } from '../storage/tables/custom-fields.ts'
import { countShared, valueIndex } from '../storage/tables/duplicates.ts'
import { removeOptionValues, replaceOptionPlace } from '../storage/tables/field-values.ts'
import { deletedOf, holdersOf, replaceValues, type ValuesRow, walked } from '../storage/tables/record-values.ts'
import { changeFields, type FieldAddress, findField, refuseField } from './change-fields.ts'
import { draftKeys, parseDraft } from './draft.ts'
import { isSingleChoice } from './field-types.ts'
import { optionKeys } from './options.ts'
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
    const index = valueIndex(inside, changed, 'value')
    const duplicates = sent.get('unique') === true ? await countShared(inside, index) : 0
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

/**
 * Makes the records agree with the new options of a field: clears removed options and sorts by the new order. Returns
 * how many live records had a removed option.
 */
async function changeOptions(inside: Scope, before: FieldDefinition, after: FieldDefinition): Promise<number> {
  const left = new Set(after.options.map((option) => option.id))
  const gone = before.options.map((option) => option.id).filter((id) => !left.has(id))
  const moved = isSingleChoice(after.type) ? movedOptions(before.options, after.options) : []
  if (gone.length === 0 && moved.length === 0) return 0
  const cleared = gone.length > 0 ? await clearOptions(inside, { before, after }, gone) : 0
  for (const option of moved) await replaceOptionPlace(inside, after.id, option)
  await finishWrite(inside, after.entity_type, { entries: [] })
  return cleared
}

function movedOptions(before: readonly FieldOption[], after: readonly FieldOption[]): { id: string; place: number }[] {
  const places = new Map(before.map(({ id }, place) => [id, place]))
  return after
    .map(({ id }, place) => ({ id, place }))
    .filter(({ id, place }) => places.has(id) && places.get(id) !== place)
}

type Changed = { before: FieldDefinition; after: FieldDefinition }

async function clearOptions(inside: Scope, { before, after }: Changed, gone: readonly string[]): Promise<number> {
  let cleared = 0
  for (const option of gone) {
    for await (const rows of walked(inside, holdersOf(after, option))) {
      const rewritten = await rewrite(inside, after, { gone, rows, timeOf: (row) => momentAfter(inside, [row]) })
      cleared += rewritten.length
      await finishWrite(inside, after.entity_type, { entries: rewritten.map((row) => entryOf(before, row)) })
    }
    await removeOptionValues(inside, after.id, option)
  }
  // A restored record must not bring the option back. Deleted records are not read, so their time stays.
  for await (const rows of walked(inside, deletedOf(after.entity_type))) {
    await rewrite(inside, after, { gone, rows, timeOf: (row) => row.updated_at })
  }
  return cleared
}

type Rewriting = { gone: readonly string[]; rows: readonly ValuesRow[]; timeOf: (row: ValuesRow) => string }

type Rewritten = { id: string; updated_at: string; custom_fields: string; before: string }

async function rewrite(inside: Scope, field: FieldDefinition, { gone, rows, timeOf }: Rewriting): Promise<Rewritten[]> {
  const rewritten = rows.flatMap((row) => {
    const custom_fields = withoutOptions(row.custom_fields, field.key, gone)
    if (custom_fields === undefined) return []
    return [{ id: row.id, updated_at: timeOf(row), custom_fields, before: row.custom_fields }]
  })
  await replaceValues(inside, field.entity_type, rewritten)
  return rewritten
}

/** The removed options have their labels in the definition from before. */
function entryOf(field: FieldDefinition, { id, updated_at, custom_fields, before }: Rewritten): RecordEntry {
  const name = `custom_fields.${field.code}`
  const valueIn = (json: string) => presentValue(parseStored(json)[field.key], field)
  return {
    action: 'update',
    resource: field.entity_type,
    record_id: id,
    changes: [[name, valueIn(before), valueIn(custom_fields)]],
    change: { kind: 'updated', at: updated_at, changed: [name] },
  }
}

/** A record's stored values without some options of one field; undefined when it holds none of them. */
export function withoutOptions(json: string, key: string, gone: readonly string[]): string | undefined {
  // Most deleted records hold none, and a search for the ids is much cheaper than parsing the JSON.
  if (!gone.some((id) => json.includes(id))) return undefined
  const values: Record<string, unknown> = JSON.parse(json)
  const stored = values[key]
  const held = Array.isArray(stored) ? stored : [stored]
  const left = held.filter((id) => !gone.includes(id))
  if (left.length === held.length) return undefined
  const { [key]: _, ...others } = values
  return JSON.stringify(left.length === 0 ? others : { ...values, [key]: left })
}
