import type { ExternalIdsInput } from '@kith/contract/external-ids'
import type { FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import { fieldTypes } from '@kith/contract/field-types'
import { newId } from '@kith/contract/id'
import { EXTERNAL_IDS, type RelatedType, type Resource } from '@kith/contract/resource'
import type { Change } from '../journal/write.ts'
import type { Scope } from '../scope/scope.ts'
import { findExisting, type Link, loadLinked } from '../storage/tables/links.ts'
import type { StoredRecord } from '../storage/tables/records.ts'
import type { ExternalIdsChange } from './external-ids.ts'
import { type FieldValue, goneIn, idsIn, parseStored, presentValue, type ValueChanges } from './stored-values.ts'

export type LinkChange = { relation: string; added: readonly string[]; removed: readonly string[] }

/** The changes of a record by a write. Unchanged parts are absent. */
export type Changes = {
  label: string | undefined
  references: ReadonlyMap<string, string | null>
  values: ValueChanges
  links: readonly LinkChange[]
  external_ids?: ExternalIdsChange | undefined
}

/** A stored record, and its changes. */
export type RecordChange = { current: StoredRecord; changes: Changes }

export type NewRecord = {
  id: string
  label: string
  references: ReadonlyMap<string, string | null>
  creation_source: string
  created_at: string
  /** Differs from the creation only for sample data. */
  updated_at?: string
  values: readonly FieldValue[]
  links: readonly Omit<Link, 'from_id'>[]
  external_ids?: ExternalIdsInput | undefined
  /** The change that caused the creation. */
  cause?: string | undefined
}

/** What a record has from its creation, now and by the actor. */
export function originOf({ now, actor: { source } }: Pick<Scope, 'now' | 'actor'>, id?: string) {
  const at = now()
  return {
    id: id ?? newId(at.getTime()),
    creation_source: source === 'cli' ? 'import' : source,
    created_at: at.toISOString(),
  }
}

export function isNothing({ label, references, values, links, external_ids }: Changes): boolean {
  const isSame = label === undefined && external_ids === undefined
  return isSame && references.size === 0 && values.size === 0 && links.length === 0
}

/**
 * The sent values that differ from the stored ones. References are compared as they are shown, without deleted records:
 * to send a value back as it was read changes nothing. Edited lists have the deleted ones, too.
 */
export function changedValues(
  current: Pick<StoredRecord, 'custom_fields' | 'gone'>,
  sent: ValueChanges,
  edited?: { has(field: FieldDefinition): boolean },
): Map<FieldDefinition, StoredValue | null> {
  const stored = parseStored(current.custom_fields)
  const gone = goneIn(current)
  const isSame = (field: FieldDefinition, value: StoredValue | null) => {
    const own = stored[field.key] ?? null
    const isHidden = gone && fieldTypes[field.type].refersTo && !edited?.has(field)
    const shown = isHidden ? idsIn(own).filter((id) => !gone.has(id)) : own
    return JSON.stringify(shown) === JSON.stringify(isHidden ? idsIn(value) : value)
  }
  return new Map([...sent].filter(([field, value]) => !isSame(field, value)))
}

/** Compared with the shown value: sending back the null in place of a deleted record changes nothing. */
export function changedReferences(
  current: StoredRecord,
  sent: ReadonlyMap<string, string | null>,
): Map<string, string | null> {
  const shown: Readonly<Record<string, unknown>> = current
  return new Map([...sent].filter(([key, id]) => (shown[key] ?? null) !== id))
}

export function changedLabel(resource: Resource, current: StoredRecord, sent: { label?: string }): string | undefined {
  return sent.label === current[resource.label] ? undefined : sent.label
}

/** The changes as the audit log shows them: choices with their labels, links as the removed and the added ids. */
export function auditChanges(resource: Resource, current: StoredRecord, changes: Changes): Change[] {
  const { label, references, values, links, external_ids } = changes
  const shown: Readonly<Record<string, unknown>> = current
  const entries: Change[] = label === undefined ? [] : [[resource.label, current[resource.label], label]]
  for (const [column, id] of references) entries.push([column, shown[column] ?? null, id])
  const stored = values.size === 0 ? {} : parseStored(current.custom_fields)
  const gone = goneIn(current)
  for (const [field, value] of values) {
    const before = presentValue(stored[field.key], field, gone)
    entries.push([`custom_fields.${field.code}`, before, presentValue(value ?? undefined, field, gone)])
  }
  for (const { relation, added, removed } of links) entries.push([linkKey(resource, relation), removed, added])
  if (external_ids) entries.push([EXTERNAL_IDS, external_ids.before, external_ids.after])
  return entries
}

/** The attribute that holds the links of a relation. */
export function linkKey(resource: Resource, relation: string): string {
  const entry = Object.entries(resource.links).find(([, list]) => list.relation === relation)
  return entry?.[0] ?? relation
}

/**
 * How lists of ids change the links of each record. Links to deleted records are hidden but stay, so that a restore
 * brings them back.
 */
export async function linkChanges(
  inside: Scope,
  resource: Resource,
  all: readonly {
    id: string
    links: ReadonlyMap<string, readonly string[]>
    /** Of edited lists: the ids that they lose. The others are replaced. */
    removed?: ReadonlyMap<string, readonly string[]>
  }[],
): Promise<ReadonlyMap<string, LinkChange[]>> {
  const linking = all.filter(({ links }) => links.size > 0)
  if (linking.length === 0) return new Map()
  const lists = Object.entries(resource.links).filter(([key]) => linking.some(({ links }) => links.has(key)))
  const linked = await loadLinked(
    inside,
    linking.map(({ id }) => id),
    lists.map(([, { relation }]) => relation),
  )
  const held = Map.groupBy(linked, (link) => nameOf(link))
  const changes = new Map<string, LinkChange[]>()
  for (const [key, { relation, to }] of lists) {
    const wishes = linking.flatMap(({ id, links, removed }) => {
      const sent = links.get(key)
      const own = new Set((held.get(nameOf({ from_id: id, relation })) ?? []).map((link) => link.to_id))
      const gone = removed?.get(key)
      const wanted = new Set(gone ? own.difference(new Set(gone)).union(new Set(sent)) : sent)
      return sent ? [{ id, wanted, own, isEdit: gone !== undefined }] : []
    })
    const seen = await findLeaving(inside, to, wishes)
    for (const { id, wanted, own, isEdit } of wishes) {
      const added = [...wanted.difference(own)]
      // An edit names what it removes, so it may also be hidden.
      const removed = [...own.difference(wanted)].filter((one) => isEdit || seen.has(one))
      if (added.length + removed.length === 0) continue
      changes.getOrInsertComputed(id, () => []).push({ relation, added, removed })
    }
  }
  return changes
}

function nameOf({ from_id, relation }: Pick<Link, 'from_id' | 'relation'>): string {
  return `${from_id} ${relation}`
}

/** The records that are no longer linked, without those that were hidden anyway. */
function findLeaving(
  inside: Scope,
  to: RelatedType,
  wishes: readonly { wanted: Set<string>; own: Set<string> }[],
): Promise<Set<string>> {
  const leaving = new Set(wishes.flatMap(({ wanted, own }) => [...own.difference(wanted)]))
  return findExisting(inside, to, [...leaving])
}

/** The time of a change: now, but always later than the last change and the deletion of these rows. */
export function momentAfter(
  scope: { now(): Date },
  rows: readonly { updated_at: string; deleted_at?: string | null }[],
): string {
  const times = rows.flatMap(({ updated_at, deleted_at }) => [updated_at, deleted_at ?? ''])
  const last = times.reduce((latest, time) => (time > latest ? time : latest), '')
  return new Date(Math.max(scope.now().getTime(), last === '' ? 0 : Date.parse(last) + 1)).toISOString()
}
