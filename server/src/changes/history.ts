import type { AuditEntryRow } from '@kith/contract/app/audit'
import type { RecordPart } from '@kith/contract/changes/change-kind'
import type { HistoryEntry } from '@kith/contract/history-entry'
import { momentOf, parseId } from '@kith/contract/id'
import type { Issue, Report } from '@kith/contract/issue'
import { PER_PAGE_DEFAULT } from '@kith/contract/limits'
import { parseIdPage } from '@kith/contract/list-query'
import { meantName } from '@kith/contract/meant-name'
import { roleMay } from '@kith/contract/permissions'
import { isUnsent } from '@kith/contract/raw-input'
import { parseOrRefuse, refuseUnknownId } from '@kith/contract/refusal'
import { CUSTOM_FIELDS, type Resource } from '@kith/contract/resource'
import { type StoredChange, shortenChange } from '../journal/write.ts'
import { refuseMissing } from '../records/merge/merged-into.ts'
import { idInPath } from '../records/read.ts'
import { parseStored, presentValue } from '../records/stored-values.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import {
  findEntry,
  type ListedEntry,
  loadChangeValues,
  loadFirstChanges,
  loadHistory,
} from '../storage/tables/audit-log.ts'
import { findAllFields, findFields, type StoredField } from '../storage/tables/custom-fields.ts'
import { loadAnyRows } from '../storage/tables/expiry.ts'
import { findMergeOf, loadLinksFrom, loadMergedIds, loadMergedInto } from '../storage/tables/merges.ts'
import { loadLiveParts } from '../storage/tables/record-parts.ts'
import { findRecord, loadStored } from '../storage/tables/records.ts'
import { changesIn, labelOf, presentAudited, shortValue } from './audit-log.ts'

type HistoryItem = HistoryEntry & { id: string }

/** The changes of a record with their actors, latest first. With `field`, only the changes of one attribute. */
export async function readHistory(
  scope: Scope,
  resource: Resource,
  asked: { id: string; raw: Readonly<Record<string, unknown>>; issues?: readonly Issue[] },
): Promise<{ data: HistoryItem[]; per_page: number; next_cursor: string | null; prev_cursor: null }> {
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

/**
 * One entry with its full values. Values that the log shortens are kept for 30 days; after that they stay shortened.
 */
export async function readEntry(
  scope: Scope,
  resource: Resource,
  asked: { record_id: string; id: string },
): Promise<AuditEntryRow> {
  requireAbilities(scope, ['read'])
  return inSnapshot(scope, async (inside) => {
    const record_ids = await findHistory(inside, resource, asked.record_id)
    const row = await findEntry(inside, resource.type, parseId(asked.id) ?? '')
    if (!row || !record_ids.includes(row.record_id ?? row.id)) return refuseUnknownId('change', asked.id)
    const full = new Map((await loadChangeValues(inside, [row.id])).map((values) => [values.field, values]))
    const changes = changesIn(row).map((change): StoredChange => {
      const values = full.get(change[0])
      return values ? [change[0], JSON.parse(values.before), JSON.parse(values.after)] : change
    })
    const [entry] = await presentAudited(inside, [{ ...row, changes: JSON.stringify(changes) }])
    return entry ?? refuseUnknownId('change', asked.id)
  })
}

type Entry = { row: ListedEntry; changes: readonly StoredChange[] }

/** Loads entries until the page is full. The database only finds entries that may have changed the field. */
async function loadEntries(
  inside: Scope,
  resource: Resource,
  part: Parameters<typeof loadHistory>[1],
): Promise<Entry[]> {
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
): HistoryItem {
  const { id, source, actor_id, token_id, actor_name, token_name } = row
  const own = token_id !== null && token_id === scope.actor.token_id
  return {
    id,
    // The creation of a record is stored under the record's own id.
    record_id: row.record_id ?? id,
    at: momentOf(id),
    action: row.undo_of === null ? row.action : 'undone',
    ...(row.undo_of === null ? {} : { undo_of: row.undo_of }),
    origin: { source, actor_id, token_id, own },
    actor_name,
    token_name,
    changes: changes.map(([field, before, after, cut]) => {
      const label = labelOf(scope, { kind: resource.type, field, fields })
      return { field, label, before: shortValue(before, cut), after: shortValue(after, cut), truncated: cut === 1 }
    }),
  }
}

type Context = { resource: Resource; fields: readonly StoredField[] }

function parseHistory(raw: Readonly<Record<string, unknown>>, context: Context, report: Report) {
  const { place: before } = parseIdPage({ cursor: raw.cursor }, report)
  const field = isUnsent(raw.field) ? undefined : parseField(raw.field, context, report)
  return { before, field, per_page: parseIdPage({ per_page: raw.per_page }, report).per_page ?? PER_PAGE_DEFAULT }
}

function parseField(raw: unknown, { resource, fields }: Context, report: Report): string | undefined {
  const codes = fields.filter((one) => one.entity_type === resource.type).map(({ code }) => CUSTOM_FIELDS + code)
  const native = [resource.label, ...Object.keys(resource.references), ...Object.keys(resource.links)]
  const accepted = [...native, 'external_ids', ...codes]
  // A bare code is enough where no attribute has that name, as in sort.
  const field = accepted.find((name) => name === raw) ?? codes.find((name) => name === CUSTOM_FIELDS + raw)
  if (field !== undefined) return field
  const near = typeof raw === 'string' ? meantName(raw, resource, accepted) : ''
  report('field', `The field must be the name of an attribute. Accepted: ${accepted.join(', ')}.${near}`)
  return undefined
}

/**
 * Adds the initial value of an attribute to creations. It is not stored: it is the value before the first change, or
 * the current value if there was no change.
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
    return isEmpty(value) ? entry : { ...entry, changes: [shortenChange([field, null, value])] }
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
    // An entry has only the added and removed links, so the initial links are not known.
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
 * The ids of all records whose entries form the history of a record: its own, and those of the records that were merged
 * into it. Everyone who may read the record may read its history; for a deleted record only owners and admins.
 */
export async function findHistory(scope: Scope, resource: Resource, id: string): Promise<string[]> {
  const recordId = idInPath(resource, id)
  const isLive = (await findRecord(scope, resource, recordId)) !== undefined
  if (!isLive && !(await isDeleted(scope, resource, recordId))) return refuseMissing(scope, resource, id)
  return [recordId, ...(await loadMergedIds(scope, resource, recordId))]
}

/** Whether the actor may read what happened to a record: that of a live or merged record, or of any as a manager. */
export async function mayReadHistory(scope: Scope, resource: Resource, id: string): Promise<boolean> {
  if (roleMay(scope.actor.role, 'read_audit_log') || (await findRecord(scope, resource, id))) return true
  return (await loadMergedInto(scope, resource, [id])).length > 0
}

/** The changes of a deleted file or comment are for those who may read the audit log. */
export async function mayReadPart(scope: Scope, part: RecordPart, id: string): Promise<boolean> {
  return roleMay(scope.actor.role, 'read_audit_log') || (await loadLiveParts(scope, part, [id])).length > 0
}

/** Whether it is a deleted record, including one that has expired, whose history the actor may read. */
async function isDeleted(scope: Scope, resource: Resource, id: string): Promise<boolean> {
  if (!roleMay(scope.actor.role, 'read_audit_log') || (await findMergeOf(scope, id)) !== undefined) return false
  if ((await loadAnyRows(scope, resource, [id])).length > 0) return true
  const [latest] = await loadHistory(scope, { resource: resource.type, record_ids: [id], limit: 1 })
  // Earlier entries are of an earlier resource with the same code.
  return latest !== undefined && momentOf(latest.id) >= (resource.row.since ?? '')
}
