import { type Activity, type ActivityKind, activityKinds, type EntryUndo } from '@kith/contract/app/activity'
import type { RecordPart } from '@kith/contract/changes/change-kind'
import { momentOf } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { parseIdPage } from '@kith/contract/list-query'
import { isUnsent } from '@kith/contract/raw-input'
import { parseOrRefuse } from '@kith/contract/refusal'
import { type Resource, resourceIn } from '@kith/contract/resource'
import { presentComments } from '../records/comments/comments.ts'
import { presentFile } from '../records/files/files.ts'
import { listRecords } from '../records/list.ts'
import type { ResourceObject } from '../records/present.ts'
import { restorableSince } from '../records/trash/trash.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { type HistoryKind, historyKindOf, type ListedEntry, loadHistory } from '../storage/tables/audit-log.ts'
import { loadLatestLinked } from '../storage/tables/links.ts'
import { loadUserNames } from '../storage/tables/members.ts'
import { loadLatestParts, type PartRows } from '../storage/tables/record-parts.ts'
import { loadUndos } from '../storage/tables/undos.ts'
import { presentAudited } from './audit-log.ts'
import { findHistory } from './history.ts'

type ActivityParameters = { record_id: unknown; kinds: unknown; cursor: unknown; per_page: unknown }

type Item = Activity<ResourceObject>

const PER_PAGE = 25

/**
 * The activity of a record, latest first: its history, and what was added to it. Ids begin with their time, so one id
 * is the position in all of these lists. Each list is read with its own index.
 */
export async function listActivity(
  scope: Scope,
  resource: Resource,
  asked: ActivityParameters,
): Promise<{ data: Item[]; included: ResourceObject[]; next_cursor: string | null }> {
  requireAbilities(scope, ['read'])
  const { kinds, before, per_page } = parseOrRefuse([], (report) => parseActivity(asked, report))
  return inSnapshot(scope, async (inside) => {
    const record_ids = await findHistory(inside, resource, typeof asked.record_id === 'string' ? asked.record_id : '')
    const place = { resource, record_ids, before, limit: per_page + 1 }
    const lists = await Promise.all(
      [...Map.groupBy(kinds, (kind) => listOf[kind])].map(([load, of]) => load(inside, { ...place, kinds: of })),
    )
    const included = new Map(lists.flatMap((list) => list.included ?? []).map((user) => [user.id, user]))
    const all = lists.flatMap(({ items }) => items).sort((one, other) => (one.id < other.id ? 1 : -1))
    const data = all.slice(0, shownCount(lists, all, per_page))
    const next_cursor = data.length < all.length ? (data.at(-1)?.id ?? null) : null
    return { data, included: [...included.values()], next_cursor }
  })
}

/** The list with the items of each kind. */
const listOf: Readonly<Record<ActivityKind, (inside: Scope, part: ActivityPart) => Promise<ActivityList>>> = {
  notes: (inside, part) => loadLinked(inside, part, 'notes'),
  tasks: (inside, part) => loadLinked(inside, part, 'tasks'),
  comments: loadComments,
  files: loadFiles,
  changes: loadEntries,
  merges: loadEntries,
  imports: loadEntries,
}

type ActivityPart = {
  resource: Resource
  /** The record, and those that were merged into it. */
  record_ids: readonly string[]
  kinds: readonly ActivityKind[]
  before: string | undefined
  limit: number
}

type ActivityList = {
  items: readonly Item[]
  included?: readonly ResourceObject[]
  /** The id of the first item that did not fit into the response. */
  cut?: string | undefined
}

async function loadLinked(inside: Scope, part: ActivityPart, kind: 'notes' | 'tasks'): Promise<ActivityList> {
  const { record_ids, before, limit } = part
  const linked = resourceIn(inside.schema, kind)
  const relation = Object.values(linked.links).find(({ to }) => to === part.resource.type)?.relation
  const [to_id = ''] = record_ids
  if (relation === undefined) return { items: [] }
  const ids = await loadLatestLinked(inside, { to_id, from_type: kind, relation, before, limit })
  if (ids.length === 0) return { items: [] }
  const include = kind === 'tasks' ? 'creator,assignees' : 'creator'
  const raw = { filter: { id: { $in: ids } }, include, per_page: ids.length, cursor: true }
  const { data, included = [] } = await listRecords(inside, linked, { raw, loose: false, issues: [] })
  const found = new Map(data().map((record) => [record.id, record]))
  const items = ids.flatMap((id) => {
    const record = found.get(id)
    return record ? [{ id, at: momentOf(id), kind, record }] : []
  })
  return { items, included, cut: ids.find((id) => !found.has(id)) }
}

async function loadComments(inside: Scope, part: ActivityPart): Promise<ActivityList> {
  const rows = await loadParts(inside, 'comments', part)
  const comments = await presentComments(inside, rows)
  const items = rows.flatMap(({ item }, index) => {
    const comment = comments[index]
    return comment ? [{ ...item, kind: 'comments' as const, comment }] : []
  })
  return { items }
}

async function loadFiles(inside: Scope, part: ActivityPart): Promise<ActivityList> {
  const rows = await loadParts(inside, 'files', part)
  return { items: rows.map((row) => ({ ...row.item, kind: 'files', file: presentFile(row, inside) })) }
}

/** The latest parts of a record, each with what all items of parts have. */
async function loadParts<P extends RecordPart>(
  inside: Scope,
  kind: P,
  { record_ids: [record_id = ''], before, limit }: ActivityPart,
) {
  const rows = await loadLatestParts(inside, kind, { record_id, before, limit })
  const names = await loadUserNames(
    inside.db,
    rows.flatMap(({ creator_id }) => creator_id ?? []),
  )
  return rows.map((row: PartRows[P]) => {
    const creator = names.find(({ id }) => id === row.creator_id) ?? null
    return { ...row, item: { id: row.id, at: row.created_at, creator } }
  })
}

async function loadEntries(inside: Scope, part: ActivityPart): Promise<ActivityList> {
  const kinds = part.kinds.filter((kind): kind is HistoryKind => listOf[kind] === loadEntries)
  const rows = await loadHistory(inside, { ...part, resource: part.resource.type, kinds })
  const [entries, undone] = await Promise.all([
    presentAudited(inside, rows),
    loadUndos(
      inside,
      rows.flatMap(({ id, cause }) => [id, cause ?? id]),
    ),
  ])
  const items = entries.map((entry, index) => {
    const kind = historyKindOf(entry)
    return { id: entry.id, at: entry.at, kind, entry, undo: undoOf(inside, { row: rows[index], undone }) }
  })
  return { items }
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

/** The number of items on the page. It ends before an item that did not fit into the response. */
function shownCount(lists: readonly ActivityList[], all: readonly Item[], per_page: number): number {
  const cut = lists.flatMap((one) => one.cut ?? []).reduce((max, id) => (id > max ? id : max), '')
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
