import { type Activity, type ActivityKind, activityKinds, type EntryUndo } from '@kith/contract/app/activity'
import type { AuditEntryRow } from '@kith/contract/app/audit'
import { type RecordPart, recordParts } from '@kith/contract/changes/change-kind'
import type { HistoryEntry } from '@kith/contract/history-entry'
import { momentOf, parseId } from '@kith/contract/id'
import type { Issue, Report } from '@kith/contract/issue'
import { PER_PAGE_DEFAULT } from '@kith/contract/limits'
import { parseIdPage } from '@kith/contract/list-query'
import { suggestion } from '@kith/contract/nearest'
import { roleMay } from '@kith/contract/permissions'
import { isUnsent } from '@kith/contract/raw-input'
import { parseOrRefuse, refuseUnknownId } from '@kith/contract/refusal'
import { type Resource, resourceIn } from '@kith/contract/resource'
import { type StoredChange, shortenChange } from '../journal/write.ts'
import { presentComments } from '../records/comments/comments.ts'
import { presentFile } from '../records/files/files.ts'
import { listRecords } from '../records/list.ts'
import { refuseMissing } from '../records/merge/merged-into.ts'
import type { ResourceObject } from '../records/present.ts'
import { idInPath } from '../records/read.ts'
import { parseStored, presentValue } from '../records/stored-values.ts'
import { restorableSince } from '../records/trash/trash.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import {
  findEntry,
  type HistoryKind,
  historyKindOf,
  type ListedEntry,
  loadChangeValues,
  loadFirstChanges,
  loadHistory,
} from '../storage/tables/audit-log.ts'
import { findAllFields, findFields, type StoredField } from '../storage/tables/custom-fields.ts'
import { loadAnyRows } from '../storage/tables/expiry.ts'
import { loadLatestLinked } from '../storage/tables/links.ts'
import { loadUserNames } from '../storage/tables/members.ts'
import { findMergeOf, loadLinksFrom, loadMergedIds, loadMergedInto } from '../storage/tables/merges.ts'
import { loadLatestParts, loadLiveParts, type PartRows } from '../storage/tables/record-parts.ts'
import { findRecord, loadStored } from '../storage/tables/records.ts'
import { loadUndos } from '../storage/tables/undos.ts'
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
  const { place: before, per_page = PER_PAGE_DEFAULT } = parseIdPage(raw, report)
  return { before, per_page, field: isUnsent(raw.field) ? undefined : parseField(raw.field, context, report) }
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
async function findHistory(scope: Scope, resource: Resource, id: string): Promise<string[]> {
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

type ActivityParameters = { record_id: unknown; kinds: unknown; cursor: unknown; per_page: unknown }

type Item = Activity<ResourceObject>

const PER_PAGE = 25

/**
 * The activity of a record, latest first: its history, its comments and files, and the notes and tasks that are linked
 * to it. Ids begin with their time, so one id is the position in all of these lists. Each list is read with its own
 * index.
 */
export async function listActivity(
  scope: Scope,
  resource: Resource,
  asked: ActivityParameters,
): Promise<{ data: Item[]; included: ResourceObject[]; next_cursor: string | null }> {
  requireAbilities(scope, ['read'])
  const { kinds, before, per_page } = parseOrRefuse([], (report) => parseActivity(asked, report))
  return inSnapshot(scope, async (inside) => {
    const id = typeof asked.record_id === 'string' ? asked.record_id : ''
    const part = { record_ids: await findHistory(inside, resource, id), kinds, before, limit: per_page + 1 }
    const [history, parts, notes, tasks] = await Promise.all([
      loadActivityEntries(inside, resource, part),
      loadPartItems(inside, part),
      loadLinked(inside, resource, { ...part, from: 'notes' }),
      loadLinked(inside, resource, { ...part, from: 'tasks' }),
    ])
    const included = new Map([...notes.included, ...tasks.included].map((user) => [user.id, user]))
    const all = [...history, ...parts, ...notes.items, ...tasks.items].sort((one, other) =>
      one.id < other.id ? 1 : -1,
    )
    const data = all.slice(0, shownCount([notes, tasks], all, per_page))
    const next_cursor = data.length < all.length ? (data.at(-1)?.id ?? null) : null
    return { data, included: [...included.values()], next_cursor }
  })
}

type ActivityPart = {
  record_ids: readonly string[]
  kinds: readonly ActivityKind[]
  before: string | undefined
  limit: number
}

async function loadActivityEntries(inside: Scope, resource: Resource, part: ActivityPart): Promise<Item[]> {
  const kinds = part.kinds.filter((kind): kind is HistoryKind => !['notes', 'tasks', ...recordParts].includes(kind))
  if (kinds.length === 0) return []
  const rows = await loadHistory(inside, { ...part, resource: resource.type, kinds })
  const [entries, undone] = await Promise.all([
    presentAudited(inside, rows),
    loadUndos(
      inside,
      rows.flatMap(({ id, cause }) => [id, cause ?? id]),
    ),
  ])
  return entries.map((entry, index) => {
    const kind = historyKindOf(entry)
    return { id: entry.id, at: entry.at, kind, entry, undo: undoOf(inside, { row: rows[index], undone }) }
  })
}

const UNDOABLE: ReadonlySet<string> = new Set(['create', 'update', 'delete', 'restore', 'merge'])

/** A merge is undone as a whole, from the entry of its winner, too. */
function undoOf(
  inside: Scope,
  { row, undone }: { row: ListedEntry | undefined; undone: ReadonlyMap<string, string> },
): EntryUndo {
  if (!row) throw new Error('An entry has no row.')
  const { id, action, undo_of, cause } = row
  const change = action === 'merge' ? (cause ?? id) : id
  const by = undone.get(change) ?? null
  const isCaused = cause !== null && action !== 'merge'
  const may = UNDOABLE.has(action) && !isCaused && by === null && momentOf(change) > restorableSince(inside)
  return { change: may ? change : null, of: undo_of, by }
}

/** The files and comments of a record. */
async function loadPartItems(inside: Scope, { record_ids, kinds, before, limit }: ActivityPart): Promise<Item[]> {
  const [record_id = ''] = record_ids
  const place = { record_id, before, limit }
  const files = kinds.includes('files') ? await loadLatestParts(inside, 'files', place) : []
  const comments = kinds.includes('comments') ? await loadLatestParts(inside, 'comments', place) : []
  const creators = await loadUserNames(
    inside.db,
    [...files, ...comments].flatMap(({ creator_id }) => creator_id ?? []),
  )
  const made = ({ id, created_at, creator_id }: PartRows[RecordPart]) => {
    return { id, at: created_at, creator: creators.find((one) => one.id === creator_id) ?? null }
  }
  const shown = await presentComments(inside, comments)
  return [
    ...files.map((row): Item => ({ ...made(row), kind: 'files', file: presentFile(row, inside) })),
    ...comments.flatMap((row, index): Item[] => {
      const comment = shown[index]
      return comment ? [{ ...made(row), kind: 'comments', comment }] : []
    }),
  ]
}

type ActivityItems = {
  items: Item[]
  included: readonly ResourceObject[]
  /** The id of the first item that did not fit into the response. */
  cut: string | undefined
}

async function loadLinked(
  inside: Scope,
  { type }: Resource,
  { record_ids, kinds, before, limit, from }: ActivityPart & { from: 'notes' | 'tasks' },
): Promise<ActivityItems> {
  const linked = resourceIn(inside.schema, from)
  const relation = Object.values(linked.links).find(({ to }) => to === type)?.relation
  const [to_id] = record_ids
  const none: ActivityItems = { items: [], included: [], cut: undefined }
  if (relation === undefined || to_id === undefined || !kinds.includes(from)) return none
  const ids = await loadLatestLinked(inside, { to_id, from_type: from, relation, before, limit })
  if (ids.length === 0) return none
  const include = from === 'tasks' ? 'creator,assignees' : 'creator'
  const raw = { filter: { id: { $in: ids } }, include, per_page: ids.length, cursor: true }
  const { data, included = [] } = await listRecords(inside, linked, { raw, loose: false, issues: [] })
  const found = new Map(data().map((record) => [record.id, record]))
  const items = ids.flatMap((id) => {
    const record = found.get(id)
    return record ? [{ id, at: momentOf(id), kind: from, record }] : []
  })
  return { items, included, cut: ids.find((id) => !found.has(id)) }
}

/** The number of items on the page. It ends before an item that did not fit into the response. */
function shownCount(linked: readonly ActivityItems[], all: readonly Item[], per_page: number): number {
  const cut = linked.flatMap((one) => one.cut ?? []).reduce((max, id) => (id > max ? id : max), '')
  return Math.min(per_page, all.filter(({ id }) => id > cut).length)
}

function parseActivity({ kinds, ...raw }: ActivityParameters, report: Report) {
  const { place: before, per_page = PER_PAGE } = parseIdPage(raw, report)
  return { before, kinds: isUnsent(kinds) ? activityKinds : parseKinds(kinds, report), per_page }
}

function parseKinds(raw: unknown, report: Report): readonly ActivityKind[] {
  const names = typeof raw === 'string' ? raw.split(',') : []
  const kinds = activityKinds.filter((kind) => names.includes(kind))
  if (kinds.length === 0 || kinds.length !== names.length) {
    report('kinds', `The kinds must be a list of ${activityKinds.join(', ')}, separated by commas.`)
  }
  return kinds
}
