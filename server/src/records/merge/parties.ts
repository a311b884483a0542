import type { Issue, Report } from '@kith/contract/issue'
import { MERGE_MAX } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import type { RecordInput } from '@kith/contract/record-input'
import { notOne, parseReference } from '@kith/contract/reference-input'
import type { Resource } from '@kith/contract/resource'
import { parseSent } from '../../fields/sent.ts'
import type { Scope } from '../../scope/scope.ts'
import type { RowLock } from '../../storage/tables/lock-rows.ts'
import { loadLinksFrom, loadMergedInto } from '../../storage/tables/merges.ts'
import { loadStored, type StoredRecord } from '../../storage/tables/records.ts'
import type { Context } from '../ask.ts'
import { type Changes, changedReferences, type LinkChange, linkChanges } from '../changes.ts'
import { claimsOf } from '../check-input.ts'
import { claimedIds } from '../external-ids.ts'
import { lockWhatIsRead, namedRows } from '../lock-what-is-read.ts'
import { mergedMessage, refuseMissing } from './merged-into.ts'
import { takenReferences } from './values.ts'

type Requested = {
  /** The winner's id as it was sent. */
  id: string
  winner_id: string
  /** The ids of the losers, and their places in the request. */
  losers: ReadonlyMap<string, number>
  chosen: RecordInput
}

/** The records that become one, and what the winner will refer and be linked to. */
export type Parties = Pick<Changes, 'references' | 'links'> & {
  winner: StoredRecord
  losers: StoredRecord[]
  /** What is wrong with other losers. */
  issues: readonly Issue[]
  /** The latest merge by which some of the losers are part of the winner already. */
  latest: string | undefined
}

/** Locks the records, and before them what the winner takes over from the losers. */
export function lockParties(inside: Scope, resource: Resource, requested: Requested): Promise<Parties> {
  const { winner_id, losers, chosen } = requested
  const claims = claimsOf(chosen.values)
  const externalIds = claimedIds(chosen.external_ids)
  const own: RowLock = { table: resource.type, ids: [winner_id, ...losers.keys()], mode: 'alone' }
  return lockWhatIsRead(
    inside,
    () => readParties(inside, resource, requested),
    (parties) => ({ claims, externalIds, rows: [...namedRows(resource, parties), own] }),
  )
}

async function readParties(inside: Scope, resource: Resource, requested: Requested): Promise<Parties> {
  const { id, winner_id, chosen } = requested
  const rows = await loadStored(inside, resource, [winner_id, ...requested.losers.keys()])
  const winner = rows.find((row) => row.id === winner_id)
  if (!winner) return refuseMissing(inside, resource, id)
  const losers = rows.filter((row) => row.id !== winner_id)
  // Oldest first. Ids begin with the time of creation, so they break ties.
  losers.sort((a, b) => (a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? -1 : 1))
  const references = new Map([...takenReferences(resource, winner, losers), ...chosen.references])
  return {
    winner,
    losers,
    ...(await readMissing(inside, resource, { ...requested, found: new Set(rows.map((row) => row.id)) })),
    references: changedReferences(winner, references),
    links: await mergedLinks(inside, resource, { winner, losers, chosen: chosen.links }),
  }
}

/** Losers that are not there: those that are part of the winner already, and what is wrong with the rest. */
async function readMissing(
  inside: Scope,
  resource: Resource,
  { winner_id, losers, found }: Requested & { found: ReadonlySet<string> },
): Promise<Pick<Parties, 'issues' | 'latest'>> {
  const missing = [...losers].filter(([id]) => !found.has(id))
  const merged = await loadMergedInto(
    inside,
    resource,
    missing.map(([id]) => id),
  )
  const issues: Issue[] = []
  for (const [id, place] of missing) {
    const now = merged.find((one) => one.old_id === id)?.id
    const path = `loser_ids.${place}`
    if (now === undefined) issues.push({ path, message: notOne(path, resource.type) })
    else if (now !== winner_id) issues.push({ path, message: mergedMessage(resource, id, now) })
  }
  const own = merged.filter((one) => one.id === winner_id).map((one) => one.merge_id)
  return { issues, latest: own.sort().at(-1) }
}

type Linking = {
  winner: StoredRecord
  losers: readonly StoredRecord[]
  chosen: ReadonlyMap<string, readonly string[]>
}

/**
 * The winner's links to others. A chosen list replaces its own, other lists are joined with those of the losers.
 */
async function mergedLinks(
  inside: Scope,
  resource: Resource,
  { winner, losers, chosen }: Linking,
): Promise<LinkChange[]> {
  if (Object.keys(resource.links).length === 0) return []
  const changes = [...((await linkChanges(inside, resource, [{ id: winner.id, links: chosen }])).get(winner.id) ?? [])]
  const links = await loadLinksFrom(inside, [winner.id, ...losers.map((loser) => loser.id)])
  for (const [key, { relation }] of Object.entries(resource.links)) {
    if (chosen.has(key)) continue
    const all = links.filter((link) => link.relation === relation)
    const own = new Set(all.filter((link) => link.from_id === winner.id).map((link) => link.to_id))
    const added = [...new Set(all.map((link) => link.to_id))].filter((id) => !own.has(id))
    if (added.length > 0) changes.push({ relation, added, removed: [] })
  }
  return changes
}

/** The records to merge into a winner. `attributes` is the body of an update: what it gets instead of the default. */
type MergeInput = { named: NamedLosers; attributes: Record<string, unknown> }

/** The losers as they were named, in `links`. Their ids must be looked up where they are named by something else. */
type NamedLosers = Pick<RecordInput, 'lookups' | 'references' | 'links'>

/** Parses the body of a merge. Invalid parts are reported and left empty. */
export function parseMerge(body: unknown, context: Context, report: Report): MergeInput {
  if (!isObject(body)) {
    report('body', 'The request body must be a JSON object.')
    return { named: noLosers(), attributes: {} }
  }
  const sent = parseSent(body, { accepted: [LOSERS, 'attributes'] }, report)
  return {
    named: parseLosers(sent.get(LOSERS), context, report),
    attributes: parseAttributes(sent.get('attributes'), report),
  }
}

const LOSERS = 'loser_ids'

function noLosers(): NamedLosers {
  return { lookups: [], references: new Map(), links: new Map() }
}

function parseLosers(raw: unknown, { resource, definitions }: Context, report: Report): NamedLosers {
  const named = noLosers()
  if (!Array.isArray(raw) || raw.length === 0 || raw.length >= MERGE_MAX) {
    report(
      LOSERS,
      `The loser_ids must be a list of 1 to ${MERGE_MAX - 1} IDs: at most ${MERGE_MAX} records are merged at once.`,
    )
    return named
  }
  const ids = raw.map((item, index) => {
    const path = `${LOSERS}.${index}`
    const by = parseReference(item, { to: resource.type, path, definitions }, report)
    if (by === undefined || typeof by === 'string') return by ?? ''
    named.lookups.push({ to: resource.type, path, key: LOSERS, index, by })
    return ''
  })
  named.links.set(LOSERS, ids)
  return named
}

/** The ids of the losers, each with its first place in the list. What is empty is reported already. */
export function losersOf({ links }: NamedLosers, winner_id: string, report: Report): Map<string, number> {
  const losers = new Map<string, number>()
  for (const [index, id] of (links.get(LOSERS) ?? []).entries()) {
    if (id === winner_id) report(`${LOSERS}.${index}`, 'A record cannot be merged into itself.')
    else if (id !== '' && !losers.has(id)) losers.set(id, index)
  }
  return losers
}

function parseAttributes(raw: unknown, report: Report): Record<string, unknown> {
  if (raw === undefined || raw === null) return {}
  if (isObject(raw)) return raw
  report('attributes', 'The attributes must be an object, as in an update.')
  return {}
}
