import type { ExternalIdsInput } from '@kith/contract/external-ids'
import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import { mostOf, targetOf } from '@kith/contract/field-types/reference'
import { tooMany } from '@kith/contract/field-types/value-list'
import type { Report } from '@kith/contract/issue'
import type { RecordInput } from '@kith/contract/parsed-input'
import { notOne } from '@kith/contract/reference-name'
import type { RelatedType, Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { ExternalIdRow } from '../storage/tables/external-ids.ts'
import { findKnown } from '../storage/tables/links.ts'
import type { StoredRecord } from '../storage/tables/records.ts'
import type { LinkChange } from './changes.ts'
import { keysOf } from './check-input.ts'
import { idsIn, parseStored } from './stored-values.ts'

/*
 * Edits of lists: what is removed from them, and what is added at their end. A write that creates a record only adds.
 */

/** Leaves out lists that would only lose something: a new record has nothing to lose. */
export function keepAdditions({ removed, values, external_ids }: RecordInput): void {
  for (const field of removed.values.keys()) if (values.get(field) === null) values.delete(field)
  for (const [namespace] of removed.external_ids) {
    if (external_ids instanceof Map && external_ids.get(namespace)?.length === 0) external_ids.delete(namespace)
  }
}

/** Replaces the edits of values by whole lists. Reports more values than a field may hold, if any are added. */
export function applyEdits({ removed, values }: RecordInput, current: StoredRecord, report: Report): void {
  if (removed.values.size === 0) return
  const stored = parseStored(current.custom_fields)
  for (const [field, lost] of removed.values) {
    const before = idsIn(stored[field.key])
    const after = editedValues(field, before, { lost, added: idsIn(values.get(field)) })
    values.set(field, after.length === 0 ? null : after)
    const isMore = after.some((value) => !before.includes(value))
    if (isMore && after.length > most(field)) report(`custom_fields.${field.code}`, tooMany(field, most(field)))
  }
}

/** Values with the same match key are the same. */
function editedValues(
  field: FieldDefinition,
  before: readonly string[],
  { lost, added }: { lost: readonly string[]; added: readonly string[] },
): string[] {
  const keyOf = (value: string) => keysOf(field, [value])[0] ?? value
  const losing = new Set(lost.map(keyOf))
  const values = new Map(before.flatMap((value) => (losing.has(keyOf(value)) ? [] : [[keyOf(value), value]])))
  for (const value of added) values.getOrInsert(keyOf(value), value)
  return [...values.values()]
}

function most(field: FieldDefinition): number {
  const { hasOptions, repeatable } = fieldTypes[field.type]
  if (hasOptions) return Number.POSITIVE_INFINITY
  return repeatable === 'always' ? field.max_values : mostOf(field)
}

/** The external ids of an input, with whole lists instead of edits. */
export function appliedIds(
  { removed, external_ids: sent }: RecordInput,
  held: readonly ExternalIdRow[],
): ExternalIdsInput | undefined {
  if (!sent || removed.external_ids.size === 0) return sent
  const applied = new Map(sent)
  for (const [namespace, lost] of removed.external_ids) {
    const own = held.filter((row) => row.namespace === namespace && !lost.includes(row.external_id))
    const kept = own.map(({ external_id: id }) => ({ id, path: `external_ids.${namespace}` }))
    applied.set(namespace, [...kept, ...(sent.get(namespace) ?? [])])
  }
  return applied
}

/** An input that changes a record, and the changes of its links. */
type Edited = { input: RecordInput; current: StoredRecord; links: readonly LinkChange[]; report: Report }

/** Reports ids to be removed that the record does not hold, and that no record or member has. */
export async function reportUnknown(inside: Scope, resource: Resource, edited: readonly Edited[]): Promise<void> {
  const absent = edited.flatMap((one) => absentIn(resource, one))
  for (const [to, some] of Map.groupBy(absent, (one) => one.to)) {
    const known = await findKnown(
      inside,
      to,
      some.map(({ id }) => id),
    )
    for (const { id, path, report } of some) if (!known.has(id)) report(path, notOne(path, to))
  }
}

type Absent = { to: RelatedType; id: string; path: string; report: Report }

function absentIn(resource: Resource, { input, current, links, report }: Edited): Absent[] {
  const { removed } = input
  const absent = (
    to: RelatedType,
    path: string,
    { lost, held }: { lost: readonly string[]; held: readonly string[] },
  ) =>
    lost.flatMap((id, index): Absent[] => {
      // An empty id was invalid and is already reported.
      return id === '' || held.includes(id) ? [] : [{ to, id, path: `${path}.$remove.${index}`, report }]
    })
  const ofLinks = [...removed.links].flatMap(([key, lost]) => {
    const list = resource.links[key]
    const held = links.find(({ relation }) => relation === list?.relation)?.removed ?? []
    return list ? absent(list.to, key, { lost, held }) : []
  })
  const stored = removed.values.size === 0 ? {} : parseStored(current.custom_fields)
  const ofValues = [...removed.values].flatMap(([field, lost]) => {
    const to = fieldTypes[field.type].refersTo && targetOf(field)
    const held = idsIn(stored[field.key])
    return to ? absent(to, `custom_fields.${field.code}`, { lost, held }) : []
  })
  return [...ofLinks, ...ofValues]
}
