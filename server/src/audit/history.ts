import type { HistoryEntry } from '@kith/contract/history-entry'
import { momentOf, parseId } from '@kith/contract/id'
import type { Issue, Report } from '@kith/contract/issue'
import { PER_PAGE_DEFAULT, PER_PAGE_MAX } from '@kith/contract/limits'
import { suggestion } from '@kith/contract/nearest'
import { roleMay } from '@kith/contract/permissions'
import { isUnsent, parseWhole } from '@kith/contract/raw-input'
import { parseOrRefuse } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { requireAbilities } from '../records/allow.ts'
import { refuseMissing } from '../records/merge/merged-into.ts'
import { idInPath } from '../records/read.ts'
import { parseStored, presentValue } from '../records/stored-values.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { type ListedEntry, loadFirstChanges, loadHistory } from '../storage/tables/audit-log.ts'
import { findAllFields, findFields, type StoredField } from '../storage/tables/custom-fields.ts'
import { findMergeOf, loadLinksFrom, loadMergedIds } from '../storage/tables/merges.ts'
import { findRecord, loadStored } from '../storage/tables/records.ts'
import { loadAnyRows } from '../storage/tables/trash.ts'
import { changesIn, labelOf } from './present.ts'
import type { StoredChange } from './write.ts'

type Listed = HistoryEntry & { id: string }

type HistoryPage = { data: Listed[]; per_page: number; next_cursor: string | null; prev_cursor: null }

type Asked = { id: string; raw: Readonly<Record<string, unknown>>; issues?: readonly Issue[] }

/** Who changed what of a record, latest first. With `field` only what happened to one attribute. */
export async function readHistory(scope: Scope, resource: Resource, asked: Asked): Promise<HistoryPage> {
  requireAbilities(scope, ['read'])
  return inSnapshot(scope, async (inside) => {
    const record_ids = await findHistory(inside, resource, asked.id)
    const fields = await findAllFields(inside)
    const wanted = parseOrRefuse(asked.issues ?? [], (report) => parseHistory(asked.raw, { resource, fields }, report))
    const { field, before, per_page } = wanted
    const part = { resource: resource.type, record_ids, field, before, limit: per_page + 1 }
    const found = await loadEntries(inside, resource, part)
    const shown = found.slice(0, per_page)
    const next_cursor = found.length > per_page ? (shown.at(-1)?.row.id ?? null) : null
    const data = shown.map((entry) => presentEntry(entry, { scope, resource, fields }))
    return { data, per_page, next_cursor, prev_cursor: null }
  })
}

type Entry = { row: ListedEntry; changes: readonly StoredChange[] }

type Part = Parameters<typeof loadHistory>[1]

/** Entries until there are as many as asked for. The database only tells which entries may have changed a field. */
async function loadEntries(inside: Scope, resource: Resource, part: Part): Promise<Entry[]> {
  const { field, limit } = part
  const entries: Entry[] = []
  let before = part.before
  while (entries.length < limit) {
    const rows = await loadHistory(inside, { ...part, before })
    const all = rows.map((row) => ({ row, changes: changesIn(row) }))
    entries.push(...(field === undefined ? all : await ofField(inside, resource, { all, field })))
    if (rows.length < limit) break
    before = rows.at(-1)?.id
  }
  return entries
}

async function ofField(
  inside: Scope,
  resource: Resource,
  { all, field }: { all: readonly Entry[]; field: string },
): Promise<Entry[]> {
  const only = all.map(({ row, changes }) => ({ row, changes: changes.filter(([name]) => name === field) }))
  return (await addInitial(inside, resource, { entries: only, field })).filter(({ changes }) => changes.length > 0)
}

function presentEntry(
  { row, changes }: Entry,
  { scope, resource, fields }: { scope: Scope; resource: Resource; fields: readonly StoredField[] },
): Listed {
  const { id, source, actor_id, token_id, actor_name, token_name } = row
  const own = token_id !== null && token_id === scope.actor.token_id
  return {
    id,
    // The creation of a record is stored under the record's own id.
    record_id: row.record_id ?? id,
    at: momentOf(id),
    action: row.action,
    origin: { source, actor_id, token_id, own },
    actor_name,
    token_name,
    changes: changes.map(([field, before, after, cut]) => {
      const label = labelOf(resource.type, field, fields)
      return { field, label, before: kept(before, cut), after: kept(after, cut), truncated: cut === 1 }
    }),
  }
}

/** What is left of a value: `truncated` tells that it was cut, instead of the mark at the end of the text. */
function kept(value: unknown, cut: 1 | undefined): unknown {
  if (cut === undefined) return value
  if (Array.isArray(value)) return value.map((item) => kept(item, cut))
  return typeof value === 'string' && CUT_LENGTHS.has(value.length) && value.endsWith('…') ? value.slice(0, -1) : value
}

/** How long a text is that was cut, with its mark. */
const CUT_LENGTHS: ReadonlySet<number> = new Set([1001, 101])

type Context = { resource: Resource; fields: readonly StoredField[] }

function parseHistory(raw: Readonly<Record<string, unknown>>, context: Context, report: Report) {
  const { cursor } = raw
  const isFirst = isUnsent(cursor) || cursor === 'true' || cursor === true
  const before = isFirst ? undefined : parseId(cursor)
  if (!isFirst && before === undefined) {
    report('cursor', 'The cursor must be true for the first page, or the next_cursor of the previous page.')
  }
  return {
    before,
    field: isUnsent(raw.field) ? undefined : parseField(raw.field, context, report),
    per_page: parseWhole(raw.per_page, { name: 'per_page', max: PER_PAGE_MAX }, report) ?? PER_PAGE_DEFAULT,
  }
}

function parseField(raw: unknown, { resource, fields }: Context, report: Report): string | undefined {
  const codes = fields.filter((one) => one.entity_type === resource.type).map(({ code }) => `custom_fields.${code}`)
  const native = [resource.label, ...Object.keys(resource.references), ...Object.keys(resource.links)]
  const accepted = [...native, 'external_ids', ...codes]
  const field = accepted.find((name) => name === raw)
  if (field !== undefined) return field
  const near = typeof raw === 'string' ? suggestion(raw, accepted) : ''
  report('field', `The field must be the name of an attribute. Accepted: ${accepted.join(', ')}.${near}`)
  return undefined
}

/**
 * Adds to creations the value that an attribute began with. It is not stored: it is what the first change found, or the
 * value of today if there was no change.
 */
async function addInitial(
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

/**
 * The ids of all records whose entries are the history of a record: its own, and those of the records that were merged
 * into it. Everyone who reads the record may read it, that of a deleted record only owners and admins.
 */
export async function findHistory(scope: Scope, resource: Resource, id: string): Promise<string[]> {
  const recordId = idInPath(resource, id)
  const isLive = (await findRecord(scope, resource, recordId)) !== undefined
  if (!isLive && !(await isDeleted(scope, resource, recordId))) return refuseMissing(scope, resource, id)
  return [recordId, ...(await loadMergedIds(scope, resource, recordId))]
}

/** Whether it is a deleted record, also one that was purged, which the actor may look into. */
async function isDeleted(scope: Scope, resource: Resource, id: string): Promise<boolean> {
  if (!roleMay(scope.actor.role, 'read_audit_log') || (await findMergeOf(scope, id)) !== undefined) return false
  if ((await loadAnyRows(scope, resource, [id])).length > 0) return true
  return (await loadHistory(scope, { resource: resource.type, record_ids: [id], limit: 1 })).length > 0
}
