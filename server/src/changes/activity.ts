import { type Activity, type ActivityKind, activityKinds, type EntryUndo, type Said } from '@kith/contract/app/activity'
import { momentOf, parseId } from '@kith/contract/id'
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
import {
  type CommentRow,
  findPart,
  loadLatestFiles,
  loadReplies,
  loadThreadStarts,
} from '../storage/tables/record-parts.ts'
import { loadUndos } from '../storage/tables/undos.ts'
import { presentAudited } from './audit-log.ts'
import { findHistory } from './history.ts'

type ActivityParameters = { record_id: unknown; kinds: unknown; thread?: unknown; cursor: unknown; per_page: unknown }

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
  const { kinds, before, thread, per_page } = parseOrRefuse([], (report) => parseActivity(asked, report))
  return inSnapshot(scope, async (inside) => {
    const record_ids = await findHistory(inside, resource, typeof asked.record_id === 'string' ? asked.record_id : '')
    const place = { resource, record_ids, before, thread, limit: per_page + 1 }
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
  comments: loadThreads,
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
  /** The id of a comment, if only its thread is wanted. */
  thread: string | undefined
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

/** So many replies of a thread come with it. */
const REPLIES_SHOWN = 100

/** The threads of comments on a record, each where it began. */
async function loadThreads(inside: Scope, part: ActivityPart): Promise<ActivityList> {
  const { record_ids, before, limit } = part
  const [record_id = ''] = record_ids
  const named = part.thread === undefined ? undefined : await findPart(inside, 'comments', part.thread)
  const thread = named ? threadOf(named) : part.thread
  const starts = await loadThreadStarts(inside, { record_id, before, thread, limit })
  const all = await loadReplies(inside, { to: starts.map(threadOf), each: REPLIES_SHOWN + 1 })
  const said = await presentSaid(inside, [...starts, ...all])
  const items = starts.flatMap((start) => {
    const own = said.get(start.id)
    const replies = all.filter(({ id, reply_to }) => reply_to === threadOf(start) && id !== start.id)
    const shown = replies.slice(-REPLIES_SHOWN).flatMap(({ id }) => said.get(id) ?? [])
    const place = { id: start.id, at: start.created_at, kind: 'comments' as const }
    return own ? [{ ...place, ...own, replies: shown, has_earlier: replies.length > shown.length }] : []
  })
  return { items }
}

/** The comment that a thread is about. It may be deleted. */
function threadOf({ id, reply_to }: CommentRow): string {
  return reply_to ?? id
}

/** Comments by their ids, with those who wrote them. */
async function presentSaid(inside: Scope, rows: readonly CommentRow[]): Promise<ReadonlyMap<string, Said>> {
  const creatorOf = await loadCreators(inside, rows)
  const comments = await presentComments(inside, rows)
  return new Map(comments.map((comment) => [comment.id, { comment, creator: creatorOf(comment.attributes) }]))
}

async function loadFiles(inside: Scope, { record_ids, before, limit }: ActivityPart): Promise<ActivityList> {
  const [record_id = ''] = record_ids
  const rows = await loadLatestFiles(inside, { record_id, before, limit })
  const creatorOf = await loadCreators(inside, rows)
  const items = rows.map((row) => {
    const { id, created_at: at } = row
    return { id, at, kind: 'files' as const, file: presentFile(row, inside), creator: creatorOf(row) }
  })
  return { items }
}

type Creation = { creator_id: string | null }

/** Loads who made some files or comments. */
async function loadCreators(inside: Scope, made: readonly Creation[]): Promise<(one: Creation) => Said['creator']> {
  const names = await loadUserNames(inside.db, [...new Set(made.flatMap(({ creator_id }) => creator_id ?? []))])
  return ({ creator_id }) => names.find(({ id }) => id === creator_id) ?? null
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

function parseActivity({ kinds, thread: asked, ...raw }: ActivityParameters, report: Report) {
  const { place: before, per_page = PER_PAGE } = parseIdPage(raw, report)
  const thread = isUnsent(asked) ? undefined : (parseId(asked) ?? '')
  if (thread === '') report('thread', 'The thread must be the ID of a comment.')
  return { before, thread, kinds: kindsIn({ kinds, thread }, report), per_page }
}

function kindsIn(
  { kinds, thread }: { kinds: unknown; thread: string | undefined },
  report: Report,
): readonly ActivityKind[] {
  if (thread !== undefined) return ['comments']
  return isUnsent(kinds) ? activityKinds : parseKinds(kinds, report)
}

function parseKinds(raw: unknown, report: Report): readonly ActivityKind[] {
  const names = typeof raw === 'string' ? raw.split(',') : []
  const kinds = activityKinds.filter((kind) => names.includes(kind))
  if (kinds.length === 0 || kinds.length !== names.length) {
    report('kinds', `The kinds must be a list of ${activityKinds.join(', ')}, separated by commas.`)
  }
  return kinds
}
