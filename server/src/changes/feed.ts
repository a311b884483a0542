import type { FeedMeta } from '@kith/contract/changes/change-entry'
import { feedResources, storedKinds } from '@kith/contract/changes/change-kind'
import { type ChangesQuery, parseChanges } from '@kith/contract/changes/parse-changes'
import type { Definitions } from '@kith/contract/field-definition'
import { type Issue, reportInto } from '@kith/contract/issue'
import { CHANGES_MAX_BYTES } from '@kith/contract/limits'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { definitionsAt, definitionsOf } from '../fields/definitions.ts'
import { requireAbilities } from '../records/allow.ts'
import type { Asked } from '../records/ask.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { type FeedHead, loadChanges, loadFeedHead } from '../storage/tables/changes.ts'
import { folded } from './compact.ts'
import { COMPLETE, type FeedPosition, type SnapshotPlace, writeFeedCursor } from './cursor.ts'
import type { Entry } from './entry.ts'
import { findPosition } from './position.ts'
import { presentChanges } from './present-changes.ts'
import { readSnapshot } from './snapshot.ts'

export type ListedChanges = {
  /** The entries as JSON texts: a response is only measured and sent. */
  entries: readonly string[]
  /** The position after each of them. */
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
  const issues: Issue[] = [...asked.issues]
  const context = { ...path, definitions: await definitionsOf(scope), loose: asked.loose }
  const now = scope.now().toISOString()
  const query = parseChanges(asked.raw, { ...context, now }, reportInto(issues))
  refuseIfAny(issues)
  await scope.engine.numberChanges(scope.workspace.id)
  return inSnapshot(scope, async (inside) => {
    const head = await loadFeedHead(inside)
    const position = await findPosition(inside, query, { head, resync })
    // Those of the snapshot: a record may have a value of a field that is newer than this request.
    const definitions = await definitionsAt(inside, head.fields_version)
    return readFrom(inside, position, { query, head, definitions })
  })
}

type Reading = { query: ChangesQuery; head: FeedHead; definitions: Definitions }

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
  const { entries, until } = await readLive(inside, sequence, reading)
  const fit = withinBytes(entries)
  const end = fit.length < entries.length ? (entries[fit.length - 1]?.attributes.sequence ?? sequence) : until
  const shown = entries.slice(0, fit.length)
  return {
    entries: query.compact ? folded(shown).map((entry) => JSON.stringify(entry)) : fit,
    positions: shown.map(({ attributes }) => ({ epoch, sequence: attributes.sequence ?? sequence })),
    // The response that ends the snapshot is not held, so that a mirror learns of the hand-off at once.
    wait: fit.length === 0 && !snapshot ? query.wait : 0,
    meta: {
      next_cursor: cursorAt({ sequence: end }),
      has_more: end < head.sequence,
      phase: 'live',
      head: head.sequence,
    },
  }
}

/** The place after everything in a snapshot: any reader can go on from here. */
const HAND_OFF: SnapshotPlace = { resource: COMPLETE, after: '', bound: '' }

/** How often further changes are read because those before are not for this reader. */
const ROUNDS = 10

/** The next entries for a reader, and up to which number they were looked for. */
async function readLive(
  inside: Scope,
  after: number,
  { query, head, definitions }: Reading,
): Promise<{ entries: Entry[]; until: number }> {
  const { limit } = query
  const entries: Entry[] = []
  let until = after
  for (let round = 0; round < ROUNDS && entries.length < limit && until < head.sequence; round++) {
    const room = limit - entries.length
    const found = await loadChanges(inside, { ...partOf(inside, query), after: until, limit: room + 1 })
    const rows = found.rows.slice(0, room)
    const { entries: some, covered } = await presentChanges(inside, rows, { ...query, definitions })
    entries.push(...some)
    const isAll = covered === rows.length && found.rows.length <= room
    const end = Math.min(found.until ?? head.sequence, head.sequence)
    until = isAll ? end : (rows[covered - 1]?.sequence ?? until)
    if (covered < rows.length) break
  }
  return { entries, until }
}

function partOf({ actor }: Scope, { resources, kinds, excludes_own }: ChangesQuery) {
  return {
    resources: resources.length === feedResources.length ? undefined : resources,
    kinds: kinds.length === storedKinds.length ? undefined : kinds,
    without: excludes_own ? { token_id: actor.token_id, user_id: actor.user_id } : undefined,
  }
}

/** What surrounds the entries of a response: `data`, `meta` and a cursor of at most 512 characters. */
const ENVELOPE_BYTES = 1024

/** The texts of as many entries as fit into a response, and of at least one. */
function withinBytes(entries: readonly Entry[]): string[] {
  const texts: string[] = []
  let bytes = ENVELOPE_BYTES
  for (const entry of entries) {
    const text = JSON.stringify(entry)
    bytes += Buffer.byteLength(text) + 1
    if (bytes > CHANGES_MAX_BYTES && texts.length > 0) break
    texts.push(text)
  }
  return texts
}

/** The place in a snapshot after an entry. */
function placeOf(last: Entry | undefined, { resources }: ChangesQuery) {
  if (!last) throw new Error('A response has no room for one entry.')
  return { resource: resources.indexOf(last.attributes.resource), after: last.id }
}
