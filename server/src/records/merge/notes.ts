import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import type { Resource } from '@kith/contract/resource'
import type { ExternalClaim } from '../../storage/tables/external-ids.ts'
import type { Claim } from '../../storage/tables/field-values.ts'
import type { Merge } from '../../storage/tables/merges.ts'
import type { StoredRecord } from '../../storage/tables/records.ts'
import type { Changes, LinkChange } from '../changes.ts'
import { claimsOf } from '../check-input.ts'
import type { NotedIds } from '../external-ids.ts'
import { parseStored, valuesIn } from '../stored-values.ts'
import { listIn } from './values.ts'

/** What a merge changed of its winner: before and after. Values by the id of their field. */
type Notes = {
  label?: [before: string, after: string]
  references: Record<string, [before: string | null, after: string | null]>
  values: Record<string, [before: StoredValue | null, after: StoredValue | null]>
  links: readonly LinkChange[]
  /** Merges of earlier versions have none. */
  external_ids?: NotedIds
  /** The names of the unique values that it held. Merges of earlier versions have none. */
  held?: readonly string[]
}

type Noted = { winner: StoredRecord; changes: Changes; fields: readonly FieldDefinition[] }

/** What a merge changes of its winner, as JSON, for a later undo. */
export function noteChanges(resource: Resource, { winner, changes, fields }: Noted): string {
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

/** Tells a unique value apart from others. */
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

type Undone = { notes: Notes; winner: StoredRecord; fields: readonly FieldDefinition[] }

/** The changes that undo a merge for its winner. What was changed after the merge stays. */
export function reversed(resource: Resource, { notes, winner, fields }: Undone): Omit<Changes, 'links'> {
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
  if (!fieldTypes[field.type].list) return now
  // In a list that changed later: remove what the merge added, add what it removed.
  const added = listIn(after).filter((value) => !listIn(before).includes(value))
  const removed = listIn(before).filter((value) => !listIn(after).includes(value))
  const own = listIn(now).filter((value) => !added.includes(value))
  return existing(field, [...own, ...removed.filter((value) => !own.includes(value))])
}

/** Without options that were deleted meanwhile. */
function existing(field: FieldDefinition, value: StoredValue | null): StoredValue | null {
  if (field.options.length === 0) return Array.isArray(value) && value.length === 0 ? null : value
  const isThere = (id: string) => field.options.some((option) => option.id === id)
  if (!Array.isArray(value)) return typeof value === 'string' && isThere(value) ? value : null
  const left = value.filter(isThere)
  return left.length === 0 ? null : left
}

function isSame(a: StoredValue | null, b: StoredValue | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
