import type { FeedMeta } from '@kith/contract/changes/change-entry'
import {
  type FeedResource,
  feedResourcesOf,
  isRecordPart,
  recordParts,
  storedKinds,
} from '@kith/contract/changes/change-kind'
import { type ChangesQuery, parseChanges } from '@kith/contract/changes/parse-changes'
import { CHANGES_MAX_BYTES } from '@kith/contract/limits'
import { parseOrRefuse } from '@kith/contract/refusal'
import { isOwn, OWN_FROM, type Resource, resourceIn, type Schema } from '@kith/contract/resource'
import { atVersion } from '../fields/definitions.ts'
import type { RawParameters } from '../records/expected.ts'
import { externalIdsOf } from '../records/external-ids.ts'
import { presentUser } from '../records/present.ts'
import { presentPartsAfter } from '../records/present-parts.ts'
import { newParts } from '../scope/large-work.ts'
import { requireAbilities } from '../scope/permissions.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadIdPage } from '../storage/query/sync-rows.ts'
import { type EntryTexts, type FeedHead, loadEntries, loadFeedHead } from '../storage/tables/changes.ts'
import { loadMembersAfter } from '../storage/tables/members.ts'
import { COMPLETE, type FeedPosition, findPosition, type SnapshotPlace, writeFeedCursor } from './position.ts'
import {
  changedSchemas,
  definitionsShown,
  presentChanges,
  presentSync,
  rowsWithin,
  selected,
} from './present-changes.ts'
import { type Entry, snapshotEntry } from './read-part.ts'
import { foldedValues, withChanges } from './value-changes.ts'

export type ListedChanges = {
  /** The entries as JSON texts. In a stream each text has one entry, otherwise any number. */
  entries: readonly string[]
  /** In a stream: the position after each entry. */
  positions: readonly FeedPosition[]
  /** For how many seconds an empty response is held: 0 if it is not empty, and before the hand-off. */
  wait: number
  meta: FeedMeta
}

/** `resource` is set if the path names it. `resync` is the address at which a mirror starts again. */
export type AskedChanges = {
  resource?: Resource
  asked: RawParameters
  resync: string
  stream?: boolean
  /** Whether sample data is left out, also from an initial sync. */
  excludes_sample?: boolean
}

/** The changes of the workspace after a position, in their order, each with the record as it is now. */
export async function listChanges(scope: Scope, asking: AskedChanges): Promise<ListedChanges> {
  requireAbilities(scope, ['read'])
  const { asked, resync, excludes_sample = false, ...path } = asking
  const context = { ...path, schema: scope.schema, loose: asked.loose }
  const now = scope.now().toISOString()
  const parsed = parseOrRefuse(asked.issues, (report) => parseChanges(asked.raw, { ...context, now }, report))
  await scope.engine.numberChanges(scope.workspace.id)
  return inSnapshot(scope, async (reading) => {
    const head = await loadFeedHead(reading)
    // The schema of the snapshot: a record may have a value of a field that is newer than this request.
    const inside = await atVersion(reading, head.fields_version)
    const query = parsed.everything ? { ...parsed, resources: feedResourcesOf(inside.schema) } : parsed
    const position = await findPosition(inside, query, { head, resync })
    return readFrom(inside, position, { query, head, stream: asking.stream ?? false, excludes_sample })
  })
}

async function readFrom(inside: Scope, position: FeedPosition, reading: FeedRequest): Promise<ListedChanges> {
  const { query, head, excludes_sample } = reading
  const { epoch, sequence, snapshot } = position
  const cursorAt = (place: Omit<FeedPosition, 'epoch'>) => writeFeedCursor(inside, { epoch, ...place })
  if (snapshot && snapshot.resource !== COMPLETE) {
    const { entries, next } = await readSnapshot(inside, { query, place: snapshot, excludes_sample })
    const fit = await withinBytes(entries)
    const placeAfter = (entry: Entry | undefined) => ({ ...snapshot, ...placeOf(entry) })
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
    // The response that ends the snapshot is not held, so that a mirror learns about the hand-off at once.
    wait: texts.length === 0 && !snapshot ? query.wait : 0,
    meta: {
      next_cursor: cursorAt({ sequence: until }),
      has_more: until < head.sequence,
      phase: 'live',
      head: head.sequence,
    },
  }
}

/** The position after the whole snapshot, from which any reader can continue. */
const HAND_OFF: SnapshotPlace = { resource: COMPLETE, after: '', bound: '' }

/** The place in a snapshot after an entry. */
function placeOf(last: Entry | undefined) {
  if (!last) throw new Error('A response has no room for one entry.')
  return { resource: last.attributes.resource, after: last.attributes.record_id }
}

/** The next entries of an initial sync, and the position to continue from; undefined at the hand-off. */
async function readSnapshot(
  inside: Scope,
  { query, place, excludes_sample }: Pick<FeedRequest, 'query' | 'excludes_sample'> & { place: SnapshotPlace },
): Promise<{ entries: Entry[]; next: SnapshotPlace | undefined }> {
  const { resources, limit } = query
  const entries: Entry[] = []
  // Own resources come last, in the order of their codes. One that was archived since then is passed over.
  const isThere = resources.includes(place.resource)
  const isLater = (code: string) => {
    const resource = inside.schema.get(code)
    return resource ? isOwn(resource) && code > place.resource : isRecordPart(code)
  }
  const left = isThere ? resources.slice(resources.indexOf(place.resource)) : resources.filter(isLater)
  let after = isThere ? place.after : ''
  for (const type of left) {
    if (entries.length >= limit) return { entries, next: { ...place, resource: type, after } }
    const part = { query, after, limit: limit - entries.length, excludes_sample }
    const { some, next } = await readSome(inside, type, part)
    entries.push(...some)
    if (next !== undefined) return { entries, next: { ...place, resource: type, after: next } }
    after = ''
  }
  return { entries, next: undefined }
}

/** Entries of one resource after an id, and the id to continue after; undefined at the end of the resource. */
async function readSome(
  inside: Scope,
  type: FeedResource,
  part: Pick<FeedRequest, 'query' | 'excludes_sample'> & { after: string; limit: number },
): Promise<{ some: Entry[]; next: string | undefined }> {
  const { query, after, limit } = part
  const { payload } = query
  const bare = { external_ids: {}, resource: type, payload }
  if (type === 'schemas' || type === 'custom_fields') {
    const all = type === 'schemas' ? changedSchemas(inside) : definitionsShown(inside.schema)
    const left = all.filter(({ id }) => id > after).sort((one, other) => (one.id < other.id ? -1 : 1))
    const some = left.slice(0, limit)
    const entries = some.map((one) =>
      snapshotEntry({ ...bare, at: one.attributes.updated_at, record: selected(one, query.fields) }),
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
  if (isRecordPart(type)) {
    const found = await presentPartsAfter(inside, type, { after, limit: limit + 1 })
    const some = found.slice(0, limit)
    const entries = some.map((one) =>
      snapshotEntry({ ...bare, at: one.attributes.updated_at, record: selected(one, query.fields) }),
    )
    return { some: entries, next: found.length <= limit ? undefined : some.at(-1)?.id }
  }
  const resource = resourceIn(inside.schema, type)
  const { rows, until } = await loadIdPage(inside, resource, { filter: query.filter, after, limit: limit + 1 })
  const some = rowsWithin(rows.slice(0, limit), CHANGES_MAX_BYTES)
  const shown = some.filter(({ creation_source }) => !part.excludes_sample || creation_source !== 'sample')
  const ids = await externalIdsOf(
    inside,
    shown.map((row) => row.id),
  )
  const records = await presentSync(inside, resource, { rows: shown, fields: query.fields })
  const times = new Map(shown.map((row) => [row.id, row.updated_at]))
  const entries = records.map((record) => {
    const external_ids = ids.get(record.id) ?? {}
    return snapshotEntry({ ...bare, at: times.get(record.id) ?? '', external_ids, record })
  })
  return { some: entries, next: some.length === rows.length ? until : some.at(-1)?.id }
}

type FeedRequest = { query: ChangesQuery; head: FeedHead; stream: boolean; excludes_sample: boolean }

type Live = {
  /** JSON texts. In a stream each has one entry, otherwise any number. */
  texts: string[]
  /** In a stream: the sequence of each entry. */
  positions: number[]
  /** The sequence up to which the feed was searched. */
  until: number
}

/** The next entries for a reader, after a sequence. */
async function readLive(inside: Scope, after: number, reading: FeedRequest): Promise<Live> {
  const { payload, filter, changed, compact } = reading.query
  const isPlain = payload === 'thin' && !filter && !changed && !compact && !reading.stream
  return (isPlain && (await readTexts(inside, after, reading))) || readEntries(inside, after, reading)
}

/** Thin entries as the database writes them; undefined if they are too long for a response. */
async function readTexts(inside: Scope, after: number, reading: FeedRequest): Promise<Live | undefined> {
  const texts: string[] = []
  const until = await search(inside, { ...reading, after }, async (found) => {
    if (found.count > 0) texts.push(await withExternalIds(inside, found))
    return found
  })
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), ENVELOPE_BYTES)
  return bytes > CHANGES_MAX_BYTES ? undefined : { texts, positions: [], until }
}

/** Adds the current external ids of the records. Entries of deleted records already have theirs. */
async function withExternalIds(inside: Scope, { text, has_external_ids }: EntryTexts): Promise<string> {
  if (!has_external_ids) return text
  const ids = new Set(Array.from(text.matchAll(EXTERNAL_IDS), ([, id = '']) => id))
  const current = await externalIdsOf(inside, [...ids])
  return text.replace(EXTERNAL_IDS, (whole, id: string, between: string) => {
    const own = current.get(id)
    return own ? `"record_id":"${id}"${between}${JSON.stringify(own)},"origin":{` : whole
  })
}

/** A record and its external ids. Quotes inside the ids are escaped, so the end is unambiguous. */
const EXTERNAL_IDS = /"record_id":"(\w+)"([^{]*"external_ids":).*?,"origin":\{/g

async function readEntries(inside: Scope, after: number, reading: FeedRequest): Promise<Live> {
  const { query } = reading
  const entries: Entry[] = []
  const looked = await search(inside, { ...reading, after }, async ({ text, until }) => {
    // Written by loadEntries.
    const changes = JSON.parse(`[${text}]`) as Entry[]
    const { entries: some, covered } = await presentChanges(inside, changes, query)
    entries.push(...some)
    const last = covered < changes.length ? changes[covered - 1]?.attributes.sequence : undefined
    return { count: some.length, until: last ?? until }
  })
  const texts = await withinBytes(entries)
  const shown = entries.slice(0, texts.length)
  const positions = shown.map(({ attributes }) => attributes.sequence ?? after)
  const until = texts.length < entries.length ? (positions.at(-1) ?? after) : looked
  return {
    texts: query.compact ? folded(inside, shown).map((entry) => JSON.stringify(entry)) : texts,
    positions,
    until,
  }
}

/** How many times more changes are read because the earlier ones were filtered out. */
export const ROUNDS = 10

/**
 * Reads changes until there are enough, and returns the sequence up to which it has read. `use` returns how many it
 * took.
 */
async function search(
  inside: Scope,
  { query, head, after, excludes_sample }: Omit<FeedRequest, 'stream'> & { after: number },
  use: (found: EntryTexts) => Promise<{ count: number; until: number }>,
): Promise<number> {
  let [until, count] = [after, 0]
  for (let round = 0; round < ROUNDS && count < query.limit && until < head.sequence; round++) {
    const found = await loadEntries(inside, {
      ...partOf(query, inside.schema),
      excludes_sample,
      head,
      after: until,
      limit: query.limit - count,
    })
    const used = await use(found)
    count += used.count
    until = used.until
    if (used.until < found.until) break
  }
  return until
}

/** Which changes a query asks for. */
export function partOf({ resources, everything, kinds, excludes_own }: ChangesQuery, schema: Schema) {
  return {
    // The entries of own resources that are archived or deleted are passed over.
    resources: everything && schema.lastNumber < OWN_FROM ? undefined : resources,
    except: everything ? recordParts : [],
    since: sinceOf(schema),
    kinds: kinds.length === storedKinds.length ? undefined : kinds,
    excludes_own,
  }
}

/** The size of the response around the entries: `data`, `meta` and a cursor of at most 512 characters. */
const ENVELOPE_BYTES = 1024

/** The texts of as many entries as fit into a response, but at least one. */
async function withinBytes(entries: readonly Entry[]): Promise<string[]> {
  const texts: string[] = []
  const nextPart = newParts()
  let bytes = ENVELOPE_BYTES
  for (const entry of entries) {
    const text = JSON.stringify(entry)
    bytes += Buffer.byteLength(text) + 1
    if (bytes > CHANGES_MAX_BYTES && texts.length > 0) break
    texts.push(text)
    await nextPart(text.length)
  }
  return texts
}

/** Folds the entries of each record into the last one, whose kind then describes the whole range. */
function folded(inside: Scope, entries: readonly Entry[]): Entry[] {
  const byRecord = Map.groupBy(entries, ({ attributes }) => `${attributes.resource} ${attributes.record_id}`)
  return entries.flatMap((entry) => {
    const { resource, record_id } = entry.attributes
    const own = byRecord.get(`${resource} ${record_id}`) ?? []
    if (own.at(-1) !== entry) return []
    return [own.length === 1 ? entry : foldedInto(inside, entry, own)]
  })
}

function foldedInto(inside: Scope, last: Entry, own: readonly Entry[]): Entry {
  const first = own[0]?.attributes.kind
  const { kind } = last.attributes
  const isAbsentAfter = kind === 'deleted' || kind === 'merged' || kind === 'left'
  const isAbsentBefore = first === 'created' || first === 'restored'
  const changed = [...new Set(own.flatMap(({ attributes }) => attributes.changed))].sort()
  const folded = isAbsentAfter ? kind : isAbsentBefore ? first : 'updated'
  const entry: Entry = { ...last, attributes: { ...last.attributes, kind: folded, changed } }
  if (last.attributes.changes === undefined || kind === 'left') return entry
  return withChanges(entry, folded === 'updated' ? foldedValues(inside, own) : [])
}

/** The own resources whose codes earlier ones had. */
function sinceOf(schema: Schema): { code: string; at: string }[] {
  return [...schema.values()].flatMap(({ row }) => (row.since === null ? [] : [{ code: row.code, at: row.since }]))
}
