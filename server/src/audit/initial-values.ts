import type { Resource } from '@kith/contract/resource'
import { parseStored, presentValue } from '../records/stored-values.ts'
import type { Scope } from '../scope/scope.ts'
import type { ListedEntry } from '../storage/tables/audit-log.ts'
import { findFields } from '../storage/tables/custom-fields.ts'
import { loadFirstChanges } from '../storage/tables/history.ts'
import { loadLinksFrom } from '../storage/tables/merge-moves.ts'
import { loadStored } from '../storage/tables/records.ts'
import { loadAnyRows } from '../storage/tables/trash.ts'
import { changesIn } from './present.ts'
import type { StoredChange } from './write.ts'

type Entry = { row: ListedEntry; changes: readonly StoredChange[] }

/**
 * Adds to creations the value that an attribute began with. It is not stored: it is what the first change found, or the
 * value of today if there was no change.
 */
export async function addInitial(
  inside: Scope,
  resource: Resource,
  { entries, field }: { entries: readonly Entry[]; field: string },
): Promise<Entry[]> {
  const created = entries.flatMap(({ row }) => (row.record_id === null ? [row.id] : []))
  if (created.length === 0) return [...entries]
  const initial = await loadInitial(inside, resource, { ids: created, field })
  return entries.map((entry) => {
    const value = entry.row.record_id === null ? initial.get(entry.row.id) : undefined
    return isEmpty(value) ? entry : { ...entry, changes: [[field, null, value]] }
  })
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

async function loadInitial(
  inside: Scope,
  resource: Resource,
  { ids, field }: { ids: readonly string[]; field: string },
): Promise<Map<string, unknown>> {
  const initial = new Map<string, unknown>()
  for (const row of await loadFirstChanges(inside, { resource: resource.type, record_ids: ids, field })) {
    const change = changesIn(row).find(([name]) => name === field)
    // Of links an entry has only what was removed and added, so their beginning is not known.
    if (change) initial.set(row.record_id, field in resource.links ? null : change[1])
  }
  const unchanged = ids.filter((id) => !initial.has(id))
  for (const [id, value] of await loadCurrent(inside, resource, { ids: unchanged, field })) initial.set(id, value)
  return initial
}

async function loadCurrent(
  inside: Scope,
  resource: Resource,
  { ids, field }: { ids: readonly string[]; field: string },
): Promise<[string, unknown][]> {
  const link = resource.links[field]
  if (ids.length === 0) return []
  if (link) {
    const links = (await loadLinksFrom(inside, ids)).filter(({ relation }) => relation === link.relation)
    return [...Map.groupBy(links, ({ from_id }) => from_id)].map(([id, own]) => [id, own.map(({ to_id }) => to_id)])
  }
  if (field in resource.references) {
    return (await loadStored(inside, resource, ids)).map(({ id, stored }) => [id, stored[field]])
  }
  const rows = await loadAnyRows(inside, resource, ids)
  if (field === resource.label) return rows.map(({ id, label }) => [id, label])
  const custom = (await findFields(inside, resource.type)).find(({ code }) => field === `custom_fields.${code}`)
  if (!custom) return []
  return rows.map(({ id, custom_fields }) => [id, presentValue(parseStored(custom_fields)[custom.key], custom)])
}
