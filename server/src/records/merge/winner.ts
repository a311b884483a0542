import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { mostOf } from '@kith/contract/field-types/reference'
import type { Resource } from '@kith/contract/resource'
import type { ExternalClaim } from '../../storage/tables/external-ids.ts'
import type { Claim } from '../../storage/tables/field-values.ts'
import type { Merge } from '../../storage/tables/merges.ts'
import type { StoredRecord } from '../../storage/tables/records.ts'
import type { Changes, LinkChange } from '../changes.ts'
import { claimsOf, keysOf } from '../check-input.ts'
import type { NotedIds } from '../external-ids.ts'
import { goneIn, idsIn, parseStored, type StoredValues, valuesIn, withoutDeleted } from '../stored-values.ts'

/** The changes of the winner by a merge, before and after. Values by the id of their field. */
type Notes = {
  label?: [before: string, after: string]
  references: Record<string, [before: string | null, after: string | null]>
  values: Record<string, [before: StoredValue | null, after: StoredValue | null]>
  links: readonly LinkChange[]
  /** Merges of earlier versions have none. */
  external_ids?: NotedIds
  /** The keys of the unique values that it held. Merges of earlier versions have none. */
  held?: readonly string[]
}

/** The changes of the winner by a merge, as JSON, for a later undo. */
export function noteChanges(
  resource: Resource,
  { winner, changes, fields }: { winner: StoredRecord; changes: Changes; fields: readonly FieldDefinition[] },
): string {
  const stored = parseStored(winner.custom_fields)
  const notes: Notes = {
    ...(changes.label === undefined ? {} : { label: [winner[resource.label] ?? '', changes.label] }),
    references: Object.fromEntries(
      [...changes.references].map(([column, id]) => [column, [winner.stored[column] ?? null, id]]),
    ),
    values: Object.fromEntries(
      [...changes.values].map(([field, value]) => [field.id, [stored[field.key] ?? null, value]]),
    ),
    links: changes.links,
    ...(changes.external_ids ? { external_ids: notedPart(changes.external_ids) } : {}),
    held: claimsOf(valuesIn(winner, fields)).map(nameOf),
  }
  return JSON.stringify(notes)
}

/** The key of a unique value. */
export function nameOf({ field, key }: Claim): string {
  return `${field.id} ${key}`
}

function notedPart({ removed, added }: NotedIds): NotedIds {
  const named = ({ namespace, external_id }: ExternalClaim) => ({ namespace, external_id })
  return { removed: removed.map(named), added: added.map(named) }
}

/** Only noteChanges writes them. */
export function readNotes({ changes }: Merge): Notes {
  return JSON.parse(changes) as Notes
}

/** The changes that undo a merge for its winner. Values that were changed after the merge stay. */
export function reversed(
  resource: Resource,
  { notes, winner, fields }: { notes: Notes; winner: StoredRecord; fields: readonly FieldDefinition[] },
): Omit<Changes, 'links'> {
  const { label, references, values } = notes
  const stored = parseStored(winner.custom_fields)
  const back = new Map<FieldDefinition, StoredValue | null>()
  for (const field of fields) {
    const noted = values[field.id]
    if (!noted) continue
    const now = stored[field.key] ?? null
    const value = valueBefore(field, noted, now)
    if (!isSame(value, now)) back.set(field, value)
  }
  const same = Object.entries(references).filter(([column, [, after]]) => winner.stored[column] === after)
  return {
    label: label && winner[resource.label] === label[1] ? label[0] : undefined,
    references: new Map(same.map(([column, [before]]) => [column, before])),
    values: back,
  }
}

function valueBefore(
  field: FieldDefinition,
  [before, after]: [StoredValue | null, StoredValue | null],
  now: StoredValue | null,
): StoredValue | null {
  if (isSame(now, after)) return existing(field, before)
  if (!fieldTypes[field.type].list || fieldTypes[field.type].refersTo) return now
  // In a list that changed later: remove the items that the merge added, add the items that it removed.
  const added = listIn(after).filter((value) => !listIn(before).includes(value))
  const removed = listIn(before).filter((value) => !listIn(after).includes(value))
  const own = listIn(now).filter((value) => !added.includes(value))
  return existing(field, [...own, ...removed.filter((value) => !own.includes(value))])
}

/** Without options that were deleted meanwhile. */
function existing(field: FieldDefinition, value: StoredValue | null): StoredValue | null {
  return value === null || (Array.isArray(value) && value.length === 0) ? null : withoutDeleted(field, value)
}

function isSame(a: StoredValue | null, b: StoredValue | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/**
 * The values that a winner takes from the losers, oldest first, for fields that were not chosen: empty fields are
 * filled, and lists are joined up to the limit of the field.
 */
export function takenValues(
  fields: readonly FieldDefinition[],
  winner: StoredRecord,
  losers: readonly StoredRecord[],
): Map<FieldDefinition, StoredValue | null> {
  const own = parseStored(winner.custom_fields)
  const others = losers.map((loser) => parseStored(loser.custom_fields))
  const taken = new Map<FieldDefinition, StoredValue | null>()
  for (const field of fields) {
    if (fieldTypes[field.type].refersTo) {
      const value = takenIds(field, winner, losers)
      if (value) taken.set(field, value.length === 0 ? null : value)
      continue
    }
    const values = [own, ...others].flatMap((stored) => stored[field.key] ?? [])
    const value = fieldTypes[field.type].list ? joined(field, [own, ...others]) : values[0]
    if (value !== undefined && JSON.stringify(value) !== JSON.stringify(own[field.key])) taken.set(field, value)
  }
  return taken
}

/**
 * The ids of a reference field after a merge, or undefined if they stay. Hidden ones of the losers do not count, and a
 * record never comes to refer to itself.
 */
function takenIds(
  field: FieldDefinition,
  winner: StoredRecord,
  losers: readonly StoredRecord[],
): readonly string[] | undefined {
  const merged = new Set([winner, ...losers].map(({ id }) => id))
  const [own, ...others] = [winner, ...losers].map((record) => {
    return { ids: idsIn(parseStored(record.custom_fields)[field.key]), gone: goneIn(record) }
  })
  if (!own) return undefined
  const kept = own.ids.filter((id) => !merged.has(id))
  const isFilled = own.ids.some((id) => !own.gone?.has(id))
  // A single reference to one of the merged records is cleared, and not filled in.
  if (!field.multiple && isFilled) return kept.length < own.ids.length ? kept : undefined
  const offered = others.flatMap(({ ids, gone }) => ids.filter((id) => !gone?.has(id) && !merged.has(id)))
  const shown = kept.filter((id) => !own.gone?.has(id))
  const added = offered.filter((id, index) => !kept.includes(id) && offered.indexOf(id) === index)
  const room = Math.max(0, mostOf(field) - (field.multiple ? kept.length : shown.length))
  const all = [...(field.multiple ? kept : shown), ...added.slice(0, room)]
  if (added.length === 0 || room === 0) return kept.length < own.ids.length ? kept : undefined
  return all
}

/** The winner's values first. Values that differ only in spelling are equal. */
function joined(field: FieldDefinition, all: readonly StoredValues[]): StoredValue | undefined {
  const values: string[] = []
  const known = new Set<string | number>()
  all.forEach((stored, index) => {
    for (const value of listIn(stored[field.key])) {
      const [key = value] = keysOf(field, [value])
      if (known.has(key) && index > 0) continue
      // The winner keeps its own values, even if the limit of the field is lower now.
      if (index > 0 && values.length >= field.max_values) return
      known.add(key)
      values.push(value)
    }
  })
  return values.length === 0 ? undefined : values
}

function listIn(stored: StoredValue | null | undefined): readonly string[] {
  return Array.isArray(stored) ? stored : []
}

/** References that the winner lacks, from the oldest loser that has them. Hidden ones do not count. */
export function takenReferences(
  resource: Resource,
  winner: StoredRecord,
  losers: readonly StoredRecord[],
): Map<string, string | null> {
  const taken = new Map<string, string | null>()
  for (const column of Object.keys(resource.references)) {
    // The registry's references are columns of the row.
    const [first] = [winner, ...losers].flatMap((record) => record[column as 'company_id'] ?? [])
    if (first !== undefined) taken.set(column, first)
  }
  return taken
}
