import { type Activity, type ActivityKind, activityKinds } from '@kith/contract/app/activity'
import { momentOf, parseId } from '@kith/contract/id'
import type { Report } from '@kith/contract/issue'
import { PER_PAGE_MAX } from '@kith/contract/limits'
import { isUnsent, parseWhole } from '@kith/contract/raw-input'
import { parseOrRefuse } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import { requireAbilities } from '../records/allow.ts'
import { listRecords } from '../records/list.ts'
import type { ResourceObject } from '../records/present.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { type HistoryKind, historyKindOf, loadHistory } from '../storage/tables/audit-log.ts'
import { loadLatestLinked } from '../storage/tables/links.ts'
import { findHistory } from './history.ts'
import { presentAudited } from './present.ts'

type Asked = { record_id: unknown; kinds: unknown; cursor: unknown; per_page: unknown }

type Item = Activity<ResourceObject>

type ActivityPage = { data: Item[]; included: ResourceObject[]; next_cursor: string | null }

const PER_PAGE = 25

/**
 * What happened to a record, latest first: its history, and the notes and tasks that are linked to it. Ids begin with
 * their time, so one id is the place in all of them. Each is read along its own index.
 */
export async function listActivity(scope: Scope, resource: Resource, asked: Asked): Promise<ActivityPage> {
  requireAbilities(scope, ['read'])
  const { kinds, before, per_page } = parseOrRefuse([], (report) => parseActivity(asked, report))
  return inSnapshot(scope, async (inside) => {
    const id = typeof asked.record_id === 'string' ? asked.record_id : ''
    const part = { record_ids: await findHistory(inside, resource, id), kinds, before, limit: per_page + 1 }
    const [history, notes, tasks] = await Promise.all([
      loadEntries(inside, resource, part),
      loadLinked(inside, resource, { ...part, from: 'notes' }),
      loadLinked(inside, resource, { ...part, from: 'tasks' }),
    ])
    const included = new Map([...notes.included, ...tasks.included].map((user) => [user.id, user]))
    const all = [...history, ...notes.items, ...tasks.items].sort((one, other) => (one.id < other.id ? 1 : -1))
    const data = all.slice(0, shownCount([notes, tasks], all, per_page))
    const next_cursor = data.length < all.length ? (data.at(-1)?.id ?? null) : null
    return { data, included: [...included.values()], next_cursor }
  })
}

type Part = { record_ids: readonly string[]; kinds: readonly ActivityKind[]; before: string | undefined; limit: number }

async function loadEntries(inside: Scope, resource: Resource, part: Part): Promise<Item[]> {
  const kinds = part.kinds.filter((kind): kind is HistoryKind => kind !== 'notes' && kind !== 'tasks')
  if (kinds.length === 0) return []
  const rows = await loadHistory(inside, { ...part, resource: resource.type, kinds })
  const entries = await presentAudited(inside, rows)
  return entries.map((entry) => ({ id: entry.id, at: entry.at, kind: historyKindOf(entry), entry }))
}

type Linked = {
  items: Item[]
  included: readonly ResourceObject[]
  /** The first one that did not fit into the response. */
  cut: string | undefined
}

async function loadLinked(
  inside: Scope,
  { type }: Resource,
  { record_ids, kinds, before, limit, from }: Part & { from: 'notes' | 'tasks' },
): Promise<Linked> {
  const relation = Object.values(registry[from].links).find(({ to }) => to === type)?.relation
  const [to_id] = record_ids
  const none: Linked = { items: [], included: [], cut: undefined }
  if (relation === undefined || to_id === undefined || !kinds.includes(from)) return none
  const ids = await loadLatestLinked(inside, { to_id, from_type: from, relation, before, limit })
  if (ids.length === 0) return none
  const include = from === 'tasks' ? 'creator,assignees' : 'creator'
  const raw = { filter: { id: { $in: ids } }, include, per_page: ids.length, cursor: true }
  const { data, included = [] } = await listRecords(inside, registry[from], { raw, loose: false, issues: [] })
  const found = new Map(data.map((record) => [record.id, record]))
  const items = ids.flatMap((id) => {
    const record = found.get(id)
    return record ? [{ id, at: momentOf(id), kind: from, record }] : []
  })
  return { items, included, cut: ids.find((id) => !found.has(id)) }
}

/** How many items make the page: none after one that is missing because it did not fit. */
function shownCount(linked: readonly Linked[], all: readonly Item[], per_page: number): number {
  const cut = linked.flatMap((one) => one.cut ?? []).reduce((max, id) => (id > max ? id : max), '')
  return Math.min(per_page, all.filter(({ id }) => id > cut).length)
}

function parseActivity({ kinds, cursor, per_page }: Asked, report: Report) {
  const before = isUnsent(cursor) ? undefined : parseId(cursor)
  if (before === undefined && !isUnsent(cursor)) report('cursor', 'The cursor must be the next_cursor of a page.')
  return {
    before,
    kinds: isUnsent(kinds) ? activityKinds : parseKinds(kinds, report),
    per_page: parseWhole(per_page, { name: 'per_page', max: PER_PAGE_MAX }, report) ?? PER_PAGE,
  }
}

function parseKinds(raw: unknown, report: Report): readonly ActivityKind[] {
  const names = typeof raw === 'string' ? raw.split(',') : []
  const kinds = activityKinds.filter((kind) => names.includes(kind))
  if (kinds.length === 0 || kinds.length !== names.length) {
    report('kinds', `The kinds must be a list of ${activityKinds.join(', ')}, separated by commas.`)
  }
  return kinds
}
