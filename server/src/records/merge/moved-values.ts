import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { targetOf } from '@kith/contract/field-types/reference'
import { CUSTOM_FIELDS, type Resource, withArchived } from '@kith/contract/resource'
import type { Change } from '../../journal/write.ts'
import type { Scope } from '../../scope/scope.ts'
import { insertValues, removeValues, replaceValues } from '../../storage/tables/field-values.ts'
import type { RowLock } from '../../storage/tables/links.ts'
import {
  insertMoves,
  loadMovedValues,
  loadReferringValues,
  type Move,
  type MovedValue,
  stayWithWinners,
  type ValueRow,
} from '../../storage/tables/merges.ts'
import { momentAfter } from '../changes.ts'
import { withLabels } from '../reference-labels.ts'
import { finishWrite, movedEntry, relationOfField } from '../store.ts'
import { changedJson, goneIn, idsIn, parseStored, presentValue } from '../stored-values.ts'

/** The records of a resource that refer to some records in their reference fields. */
export type ReferringValues = { referring: Resource; rows: ValueRow[] }

/** The reference fields of a resource whose values are records of another one, with those that are archived. */
function fieldsTo(referring: Resource, { type }: Resource): FieldDefinition[] {
  return referring.allFields.filter((field) => {
    return fieldTypes[field.type].refersTo === 'records' && targetOf(field) === type
  })
}

/** Every record that refers to one of the ids in a reference field, except these records themselves. */
export async function loadValues(
  inside: Scope,
  resource: Resource,
  { ids, except }: { ids: readonly string[]; except: readonly string[] },
): Promise<ReferringValues[]> {
  const loaded: ReferringValues[] = []
  for (const referring of withArchived(inside.schema).values()) {
    const fields = fieldsTo(referring, resource).map(({ number }) => number)
    if (fields.length === 0) continue
    const rows = await loadReferringValues(inside, { resource: referring, fields, ids })
    loaded.push({ referring, rows: rows.filter(({ id }) => !except.includes(id)) })
  }
  return loaded
}

export function lockOfValues({ referring, rows }: ReferringValues): RowLock {
  return { of: referring.number, ids: rows.map((row) => row.id), mode: 'change' }
}

/** The value of a list in which a record replaces others, at the place of the first of them. */
function replaced(before: readonly string[], { by, ids }: { by: string; ids: readonly string[] }): string[] {
  const isThere = before.includes(by)
  return [...new Set(before.flatMap((id) => (!ids.includes(id) ? [id] : isThere ? [] : [by])))]
}

/** New values of one field of one record. */
type NewValue = { row: ValueRow; field: FieldDefinition; before: readonly string[]; after: readonly string[] }

/** Makes the values refer to the winner instead of the losers. */
export async function moveValues(
  inside: Scope,
  resource: Resource,
  { referring, rows }: ReferringValues,
  merging: { merge_id: string; winner_id: string; loser_ids: readonly string[]; cause: string },
): Promise<void> {
  const { merge_id, winner_id, loser_ids, cause } = merging
  const values = rows.flatMap((row) => {
    const stored = parseStored(row.custom_fields)
    return fieldsTo(referring, resource).flatMap((field): NewValue[] => {
      const before = idsIn(stored[field.key])
      if (!before.some((id) => loser_ids.includes(id))) return []
      return [{ row, field, before, after: replaced(before, { by: winner_id, ids: loser_ids }) }]
    })
  })
  for (const [field, some] of Map.groupBy(values, (one) => one.field)) {
    const ids = some.map(({ row }) => row.id)
    await stayWithWinners(inside, { type: referring.type, column: relationOfField(field), ids, to: [winner_id] })
  }
  const moves = values.map(({ row, field, before }): Move => {
    const moved = { resource: referring.type, relation: relationOfField(field), record_id: row.id }
    return { ...moved, from_id: winner_id, added: 1, before: JSON.stringify(before) }
  })
  await insertMoves(inside, merge_id, moves)
  await storeValues(inside, referring, { values, cause })
}

/** The records of a resource whose values a merge moved. */
export type MovedBack = { referring: Resource; rows: MovedValue[] }

/** The moved values of a merge that were not changed since, by resource. */
export async function loadValuesBack(inside: Scope, resource: Resource, merge: { id: string }): Promise<MovedBack[]> {
  const loaded: MovedBack[] = []
  for (const referring of withArchived(inside.schema).values()) {
    if (fieldsTo(referring, resource).length === 0) continue
    loaded.push({ referring, rows: await loadMovedValues(inside, merge.id, referring) })
  }
  return loaded
}

/** Gives values that a merge moved their former values. A value that was changed since stays. */
export async function moveValuesBack(
  inside: Scope,
  { referring, rows }: MovedBack,
  { winner_id, loser_ids, cause }: { winner_id: string; loser_ids: readonly string[]; cause: string | undefined },
): Promise<void> {
  const values = rows.flatMap((row): NewValue[] => {
    const field = referring.allFields.find((one) => relationOfField(one) === row.relation)
    if (!field) return []
    // Only moveValues writes it.
    const after = JSON.parse(row.before) as string[]
    const before = idsIn(parseStored(row.custom_fields)[field.key])
    const moved = replaced(after, { by: winner_id, ids: loser_ids })
    return JSON.stringify(before) === JSON.stringify(moved) ? [{ row, field, before, after }] : []
  })
  await storeValues(inside, referring, { values, cause })
}

/** Stores new values, with an entry for each live record. Nobody sees those of archived fields. */
async function storeValues(
  inside: Scope,
  referring: Resource,
  { values, cause }: { values: readonly NewValue[]; cause: string | undefined },
): Promise<void> {
  if (values.length === 0) return
  const byRecord = [...Map.groupBy(values, ({ row }) => row.id).values()]
  const at = momentAfter(
    inside,
    values.map(({ row }) => row),
  )
  const isShown = ({ field }: NewValue) => referring.fields.byCode.get(field.code)?.id === field.id
  const changed = byRecord.flatMap((own) => {
    const [first] = own
    if (!first) return []
    const { row } = first
    const isSeen = row.deleted_at === null && own.some(isShown)
    const custom_fields = changedJson(row.custom_fields, new Map(own.map(({ field, after }) => [field, after])))
    return [{ row, own, custom_fields, isSeen }]
  })
  await replaceValues(
    inside,
    changed.map(({ row, custom_fields, isSeen }) => {
      return { number: row.number, custom_fields, updated_at: isSeen ? at : row.updated_at }
    }),
  )
  const live = values.filter(({ row }) => row.deleted_at === null)
  await removeValues(
    inside,
    live.map(({ row, field }) => ({ record: row.number, field: field.number })),
  )
  await insertValues(
    inside,
    live.map(({ row, field, after }) => ({ ...row, values: [[field, after]] as const })),
  )
  const entries = changed.flatMap(({ row, own, isSeen }) => {
    if (!isSeen) return []
    const gone = goneIn(row)
    const changes = own.filter(isShown).map(({ field, before, after }): Change => {
      return [CUSTOM_FIELDS + field.code, presentValue(before, field, gone), presentValue(after, field, gone)]
    })
    return [movedEntry(referring.type, { record_id: row.id, at, cause }, changes)]
  })
  await finishWrite(inside, referring.type, { entries: await withLabels(inside, referring, entries) })
}

/** Completes a restore: a new time and an entry for each live record in whose values the record is visible again. */
export async function showValuesAgain(
  inside: Scope,
  resource: Resource,
  { referring, rows }: ReferringValues,
  { id, cause }: { id: string; cause: string | undefined },
): Promise<void> {
  const fields = fieldsTo(referring, resource).filter((field) => referring.fields.list.includes(field))
  const shown = rows.flatMap((row) => {
    const stored = parseStored(row.custom_fields)
    const own = row.deleted_at === null ? fields.filter((field) => idsIn(stored[field.key]).includes(id)) : []
    const gone = goneIn(row)
    const changes = own.map((field): Change => {
      const value = stored[field.key]
      const now = new Set([...(gone ?? [])].filter((one) => one !== id))
      return [CUSTOM_FIELDS + field.code, presentValue(value, field, gone), presentValue(value, field, now)]
    })
    return changes.length === 0 ? [] : [{ row, changes }]
  })
  if (shown.length === 0) return
  const at = momentAfter(
    inside,
    shown.map(({ row }) => row),
  )
  await replaceValues(
    inside,
    shown.map(({ row }) => ({ number: row.number, custom_fields: row.custom_fields, updated_at: at })),
  )
  const entries = shown.map(({ row, changes }) => movedEntry(referring.type, { record_id: row.id, at, cause }, changes))
  await finishWrite(inside, referring.type, { entries: await withLabels(inside, referring, entries) })
}
