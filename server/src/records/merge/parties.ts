import type { Issue } from '@kith/contract/issue'
import type { RecordInput } from '@kith/contract/record-input'
import { notOne } from '@kith/contract/reference-input'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import type { RowLock } from '../../storage/tables/lock-rows.ts'
import { loadMergedInto } from '../../storage/tables/merges.ts'
import { loadStored, type StoredRecord } from '../../storage/tables/records.ts'
import { type Changes, changedReferences } from '../changes.ts'
import { claimsOf } from '../check-input.ts'
import { claimedIds } from '../external-ids/check.ts'
import { lockWhatIsRead, namedRows } from '../lock-what-is-read.ts'
import { mergedLinks } from './links.ts'
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
