import type { FeedMeta } from '@kith/contract/changes/change-entry'
import type { FeedResource } from '@kith/contract/changes/change-kind'
import { type ChangesQuery, parseChanges } from '@kith/contract/changes/parse-changes'
import type { Definitions } from '@kith/contract/field-definition'
import { CHANGES_MAX_BYTES } from '@kith/contract/limits'
import { parseOrRefuse } from '@kith/contract/refusal'
import { registry } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import { definitionsAt, definitionsOf } from '../fields/definitions.ts'
import { requireAbilities } from '../records/allow.ts'
import type { Asked } from '../records/ask.ts'
import { externalIdsOf } from '../records/external-ids.ts'
import { presentUser } from '../records/present.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadIdPage } from '../storage/query/id-pages.ts'
import { loadFeedHead } from '../storage/tables/changes.ts'
import { loadMembersAfter } from '../storage/tables/members.ts'
import { COMPLETE, type FeedPosition, type SnapshotPlace, writeFeedCursor } from './cursor.ts'
import { type Entry, snapshotEntry } from './entry.ts'
import { type Reading, readLive, withinBytes } from './live.ts'
import { findPosition } from './position.ts'
import { definitionsShown, selected } from './present-changes.ts'
import { presentSync, rowsWithin } from './sync-form.ts'

export type ListedChanges = {
  /** The entries as JSON texts with one entry each in a stream, else with any number of them. */
  entries: readonly string[]
  /** In a stream: the position after each of them. */
  positions: readonly FeedPosition[]
  /** For how many seconds an empty response is held: 0 if it is not empty, and before the hand-off. */
  wait: number
  meta: FeedMeta
}

/** `resource` is set where the path names it. `resync` is the address at which a mirror starts again. */
export type AskedChanges = { resource?: Resource; asked: Asked; resync: string; stream?: boolean }

/** The changes of the workspace after a position, in their order, each with the record as it is now. */
export async function listChanges(scope: Scope, asking: AskedChanges): Promise<ListedChanges> {
  requireAbilities(scope, ['read'])
  const { asked, resync, ...path } = asking
  const context = { ...path, definitions: await definitionsOf(scope), loose: asked.loose }
  const now = scope.now().toISOString()
  const query = parseOrRefuse(asked.issues, (report) => parseChanges(asked.raw, { ...context, now }, report))
  await scope.engine.numberChanges(scope.workspace.id)
  return inSnapshot(scope, async (inside) => {
    const head = await loadFeedHead(inside)
    const position = await findPosition(inside, query, { head, resync })
    // Those of the snapshot: a record may have a value of a field that is newer than this request.
    const definitions = await definitionsAt(inside, head.fields_version)
    return readFrom(inside, position, { query, head, definitions, stream: asking.stream ?? false })
  })
}

async function readFrom(inside: Scope, position: FeedPosition, reading: Reading): Promise<ListedChanges> {
  const { query, head, definitions } = reading
  const { epoch, sequence, snapshot } = position
  const cursorAt = (place: Omit<FeedPosition, 'epoch'>) => writeFeedCursor(inside, { epoch, ...place })
  if (snapshot && snapshot.resource !== COMPLETE) {
    const { entries, next } = await readSnapshot(inside, { query, definitions, place: snapshot })
    const fit = withinBytes(entries)
    const placeAfter = (entry: Entry | undefined) => ({ ...snapshot, ...placeOf(entry, query) })
    const cut = fit.length < entries.length ? placeAfter(entries[fit.length - 1]) : (next ?? HAND_OFF)
    const positions = entries
      .slice(0, fit.length)
      .map((entry): FeedPosition => ({ epoch, sequence, snapshot: placeAfter(entry) }))
    const next_cursor = cursorAt({ sequence, snapshot: cut })
    const meta = { next_cursor, has_more: true, phase: 'snapshot', head: head.sequence } as const
    return { entries: fit, positions, wait: 0, meta }
  }
  const { texts, positions, until } = await readLive(inside, sequence, reading)
  return {
    entries: texts,
    positions: positions.map((after) => ({ epoch, sequence: after })),
    // The response that ends the snapshot is not held, so that a mirror learns of the hand-off at once.
    wait: texts.length === 0 && !snapshot ? query.wait : 0,
    meta: {
      next_cursor: cursorAt({ sequence: until }),
      has_more: until < head.sequence,
      phase: 'live',
      head: head.sequence,
    },
  }
}

/** The place after everything in a snapshot: any reader can go on from here. */
const HAND_OFF: SnapshotPlace = { resource: COMPLETE, after: '', bound: '' }

/** The place in a snapshot after an entry. */
function placeOf(last: Entry | undefined, { resources }: ChangesQuery) {
  if (!last) throw new Error('A response has no room for one entry.')
  return { resource: resources.indexOf(last.attributes.resource), after: last.id }
}

type Snapshot = { query: ChangesQuery; definitions: Definitions; place: SnapshotPlace }

/** The next entries of an initial sync, and where to read on; undefined at the hand-off. */
async function readSnapshot(
  inside: Scope,
  { query, definitions, place }: Snapshot,
): Promise<{ entries: Entry[]; next: SnapshotPlace | undefined }> {
  const { resources, limit } = query
  const entries: Entry[] = []
  let { resource, after } = place
  while (resource < resources.length && entries.length < limit) {
    const type = resources[resource]
    if (type === undefined) break
    const part = { query, definitions, after, limit: limit - entries.length }
    const { some, next } = await readSome(inside, type, part)
    entries.push(...some)
    after = next ?? ''
    if (next !== undefined) break
    resource++
  }
  return { entries, next: resource < resources.length ? { ...place, resource, after } : undefined }
}

type Part = { query: ChangesQuery; definitions: Definitions; after: string; limit: number }

type Some = { some: Entry[]; next: string | undefined }

/** Entries of one resource after an id, and the id after which to read on; undefined if they are its last. */
async function readSome(inside: Scope, type: FeedResource, part: Part): Promise<Some> {
  const { query, definitions, after, limit } = part
  const { thin } = query
  const bare = { external_ids: {}, resource: type, thin }
  if (type === 'custom_fields') {
    const all = definitionsShown(definitions).toSorted((one, other) => (one.id < other.id ? -1 : 1))
    const left = all.filter(({ id }) => id > after)
    const some = left.slice(0, limit)
    const entries = some.map((field) =>
      snapshotEntry({ ...bare, at: field.attributes.updated_at, record: selected(field, query.fields) }),
    )
    return { some: entries, next: some.length === left.length ? undefined : some.at(-1)?.id }
  }
  if (type === 'users') {
    const rows = await loadMembersAfter(inside.db, inside.workspace.id, { after, limit: limit + 1 })
    const some = rows.slice(0, limit)
    const entries = some.map((row) =>
      snapshotEntry({ ...bare, at: row.updated_at, record: presentUser(row, query.fields) }),
    )
    return { some: entries, next: rows.length <= limit ? undefined : some.at(-1)?.id }
  }
  const resource = registry[type]
  const { rows, until } = await loadIdPage(inside, resource, { filter: query.filter, after, limit: limit + 1 })
  const some = rowsWithin(rows.slice(0, limit), CHANGES_MAX_BYTES)
  const ids = await externalIdsOf(
    inside,
    some.map((row) => row.id),
  )
  const records = await presentSync(inside, resource, { rows: some, definitions, fields: query.fields })
  const times = new Map(some.map((row) => [row.id, row.updated_at]))
  const entries = records.map((record) => {
    const external_ids = ids.get(record.id) ?? {}
    return snapshotEntry({ ...bare, at: times.get(record.id) ?? '', external_ids, record })
  })
  return { some: entries, next: some.length === rows.length ? until : some.at(-1)?.id }
}
