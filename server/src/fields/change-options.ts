import type { FieldDefinition, FieldOption } from '@kith/contract/field-definition'
import { momentAfter } from '../records/moment-after.ts'
import { finishWrite } from '../records/store.ts'
import type { Scope } from '../scope/scope.ts'
import { removeOptionValues, replaceOptionPlace } from '../storage/tables/field-values.ts'
import { deletedOf, holdersOf, replaceValues, type ValuesRow, walked } from '../storage/tables/record-values.ts'
import { isSingleChoice } from './field-types.ts'
import { withoutOptions } from './without-options.ts'

/** Makes the records agree with the new options of a field: clears removed options and sorts by the new order. */
export async function changeOptions(inside: Scope, before: FieldDefinition, after: FieldDefinition): Promise<void> {
  const left = new Set(after.options.map((option) => option.id))
  const gone = before.options.map((option) => option.id).filter((id) => !left.has(id))
  const moved = isSingleChoice(after.type) ? movedOptions(before.options, after.options) : []
  if (gone.length === 0 && moved.length === 0) return
  if (gone.length > 0) await clearOptions(inside, after, gone)
  for (const option of moved) await replaceOptionPlace(inside, after.id, option)
  await finishWrite(inside, after.entity_type, { entries: [] })
}

function movedOptions(before: readonly FieldOption[], after: readonly FieldOption[]): { id: string; place: number }[] {
  const places = new Map(before.map(({ id }, place) => [id, place]))
  return after
    .map(({ id }, place) => ({ id, place }))
    .filter(({ id, place }) => places.has(id) && places.get(id) !== place)
}

async function clearOptions(inside: Scope, field: FieldDefinition, gone: readonly string[]): Promise<void> {
  for (const option of gone) {
    for await (const rows of walked(inside, holdersOf(field, option))) {
      await rewrite(inside, field, { gone, rows, timeOf: (row) => momentAfter(inside, [row]) })
    }
    await removeOptionValues(inside, field.id, option)
  }
  // A restored record must not bring the option back. Deleted records are not read, so their time stays.
  for await (const rows of walked(inside, deletedOf(field.entity_type))) {
    await rewrite(inside, field, { gone, rows, timeOf: (row) => row.updated_at })
  }
}

type Rewriting = { gone: readonly string[]; rows: readonly ValuesRow[]; timeOf: (row: ValuesRow) => string }

async function rewrite(inside: Scope, field: FieldDefinition, { gone, rows, timeOf }: Rewriting): Promise<void> {
  const rewritten = rows.flatMap((row) => {
    const custom_fields = withoutOptions(row.custom_fields, field.key, gone)
    return custom_fields === undefined ? [] : [{ id: row.id, updated_at: timeOf(row), custom_fields }]
  })
  await replaceValues(inside, field.entity_type, rewritten)
}
