import type { FieldDefinition, FieldOption } from '@kith/contract/field-definition'
import { momentAfter } from '../records/moment-after.ts'
import { finishWrite, type RecordEntry } from '../records/store.ts'
import { parseStored, presentValue } from '../records/stored-values.ts'
import type { Scope } from '../scope/scope.ts'
import { removeOptionValues, replaceOptionPlace } from '../storage/tables/field-values.ts'
import { deletedOf, holdersOf, replaceValues, type ValuesRow, walked } from '../storage/tables/record-values.ts'
import { isSingleChoice } from './field-types.ts'
import { withoutOptions } from './without-options.ts'

/**
 * Makes the records agree with the new options of a field: clears removed options and sorts by the new order. Returns
 * how many live records had a removed option.
 */
export async function changeOptions(inside: Scope, before: FieldDefinition, after: FieldDefinition): Promise<number> {
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
