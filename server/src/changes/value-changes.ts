import type { FieldSelection } from '@kith/contract/answer-options'
import type { ValueChange } from '@kith/contract/history-entry'
import { momentOf } from '@kith/contract/id'
import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import type { AuditRow } from '../storage/tables/audit-log.ts'
import { loadEntriesById } from '../storage/tables/undos.ts'
import { changesIn, shortValue } from './audit-log.ts'
import type { Entry } from './read-part.ts'

/** Members have another name in the audit log. */
export const auditedAs = (resource: string) => (resource === 'users' ? 'members' : resource)

/** The entries of the audit log about updates, by their ids. */
export async function loadValueChanges(inside: Scope, entries: readonly Entry[]): Promise<Map<string, AuditRow>> {
  const updates = entries.filter(({ attributes }) => attributes.kind === 'updated')
  const resources = [...new Set(updates.map(({ attributes }) => auditedAs(attributes.resource)))]
  const rows = await loadEntriesById(inside, { resources, ids: updates.map(({ id }) => id) })
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * An entry with the values that it changed. They are null if the log does not have them any more, or if the record is
 * gone and its history is not for the reader.
 */
export function withValues(
  inside: Scope,
  entry: Entry,
  { row, isGone, fields }: { row: AuditRow | undefined; isGone: boolean; fields: FieldSelection },
): Entry {
  const { kind } = entry.attributes
  if (kind === 'snapshot' || kind === 'left') return withChanges(entry, null)
  if (kind !== 'updated') return withChanges(entry, [])
  if (!row || (isGone && !roleMay(inside.actor.role, 'read_audit_log'))) return withChanges(entry, null)
  const { resource, changed } = entry.attributes
  const isShown = (field: string) => changed.includes(field) && isSelected(inside, { resource, field, fields })
  const changes = changesIn(row).flatMap(([field, before, after, cut]): ValueChange[] => {
    if (!isShown(field) || isLost(inside, entry, field)) return []
    return [{ field, before: shortValue(before, cut), after: shortValue(after, cut), truncated: cut === 1 }]
  })
  return withChanges(entry, changes)
}

/** In its place, after `changed`, and in its order. */
export function withChanges({ attributes, ...entry }: Entry, found: ValueChange[] | null): Entry {
  const { sequence, kind, resource, record_id, at, changed, changes: _, ...others } = attributes
  const changes = found?.toSorted((one, other) => (one.field < other.field ? -1 : 1)) ?? null
  return { ...entry, attributes: { sequence, kind, resource, record_id, at, changed, changes, ...others } }
}

const CODE = /^custom_fields\.(.+)$/

/** Whether it is a value of a field that is archived or deleted. A later field may have its code. */
function isLost({ schema }: Scope, { id, attributes }: Entry, field: string): boolean {
  const resource = schema.get(attributes.resource)
  const code = CODE.exec(field)?.[1]
  if (!resource || code === undefined) return false
  const definition = resource.fields.byCode.get(code)
  return !definition || definition.created_at > momentOf(id)
}

/** Links are shown with every selection, as in the record. */
function isSelected(
  { schema }: Scope,
  { resource, field, fields }: { resource: ResourceName; field: string; fields: FieldSelection },
): boolean {
  const wanted = fields.get(resource)
  if (!wanted || field in (schema.get(resource)?.links ?? {})) return true
  const code = CODE.exec(field)?.[1]
  if (code === undefined) return wanted.attributes.has(field)
  return wanted.custom === 'all' || wanted.custom.has(code)
}

/** What several updates of a record have changed together, in their order. Null if a part is not known. */
export function foldedValues({ schema }: Scope, entries: readonly Entry[]): ValueChange[] | null {
  const links = schema.get(entries[0]?.attributes.resource ?? '')?.links ?? {}
  const folded = new Map<string, ValueChange>()
  for (const { attributes } of entries) {
    if (attributes.changes === null) return null
    for (const one of attributes.changes ?? []) {
      const first = folded.get(one.field)
      folded.set(one.field, first ? joined(first, one, one.field in links) : one)
    }
  }
  return [...folded.values()]
}

/** The first before and the last after. Of links: what is removed and added in the end. */
function joined(first: ValueChange, last: ValueChange, areLinks: boolean): ValueChange {
  const truncated = first.truncated || last.truncated
  if (!areLinks) return { ...last, before: first.before, truncated }
  const [removed, added] = [netOf(first.before, last.before), netOf(first.after, last.after)]
  const before = [...removed].filter((id) => !added.has(id))
  const after = [...added].filter((id) => !removed.has(id))
  return { ...last, before, after, truncated }
}

function netOf(first: unknown, last: unknown): Set<unknown> {
  return new Set([first, last].flatMap((ids) => (Array.isArray(ids) ? ids : [])))
}
