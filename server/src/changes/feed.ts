import type { FeedMeta } from '@kith/contract/changes/change-entry'
import { type ChangesQuery, parseChanges } from '@kith/contract/changes/parse-changes'
import { type Issue, reportInto } from '@kith/contract/issue'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { definitionsAt, definitionsOf } from '../fields/definitions.ts'
import { requireAbilities } from '../records/allow.ts'
import type { Asked } from '../records/ask.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadFeedHead } from '../storage/tables/changes.ts'
import { COMPLETE, type FeedPosition, type SnapshotPlace, writeFeedCursor } from './cursor.ts'
import type { Entry } from './entry.ts'
import { type Reading, readLive, withinBytes } from './live.ts'
import { findPosition } from './position.ts'
import { readSnapshot } from './snapshot.ts'

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
