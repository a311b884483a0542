import { registry, resources } from '@kith/contract/registry'
import type { Resource, ResourceName } from '@kith/contract/resource'
import { type AuditEntry, type Change, writeAudit } from '../audit/write.ts'
import { moveCounts } from '../db/counts.ts'
import { insertLinks } from '../db/links.ts'
import {
  insertMoves,
  type LinkRow,
  loadLinksTo,
  lockLinked,
  lockReferring,
  type Move,
  replaceReferences,
  touchLinked,
} from '../db/moves.ts'
import type { Scope } from '../scope.ts'
import { linkKey } from './audit-changes.ts'
import { momentAfter } from './effects.ts'

export type Merging = { merge_id: string; winner_id: string; loser_ids: readonly string[] }

/** Makes everything that refers to the losers, or is linked to them, refer to the winner: a few statements for each kind. */
export async function moveToWinner(inside: Scope, resource: Resource, merging: Merging): Promise<void> {
  for (const { referring, column } of columnsTo(resource)) await moveReferences(inside, referring, column, merging)
  await moveLinks(inside, merging)
}

/** The columns of other resources that refer to this one. */
export function columnsTo(resource: Resource): { referring: Resource; column: string }[] {
  return resources.flatMap((referring) =>
    Object.entries(referring.references)
      .filter(([, { to }]) => to === resource.type)
      .map(([column]) => ({ referring, column })),
  )
}

async function moveReferences(
  inside: Scope,
  referring: Resource,
  column: string,
  { merge_id, winner_id, loser_ids }: Merging,
): Promise<void> {
  const rows = await lockReferring(inside, referring, column, loser_ids)
  if (rows.length === 0) return
  const moves = rows.map(({ id, from_id }): Move => {
    return { resource: referring.type, relation: column, record_id: id, from_id, added: 1 }
  })
  await insertMoves(inside, merge_id, moves)
  const at = momentAfterAll(inside, rows)
  await replaceReferences(inside, referring, column, { ids: loser_ids, by: winner_id, at })
  await moveCounts(inside.db, inside.engine, inside.workspace.id, referring.type, { live: 0 })
  const live = rows.filter((row) => row.deleted_at === null)
  await writeAudit(
    inside,
    live.map(({ id, from_id }) => moved(referring, id, [column, from_id, winner_id])),
  )
}

/** A record that was changed because what it refers to was merged, or parted again. */
export function moved(resource: Resource, record_id: string, ...changes: Change[]): AuditEntry {
  return { action: 'update', resource: resource.type, record_id, changes }
}

/** The links to the losers stay, out of sight, for when they come back. */
async function moveLinks(inside: Scope, { merge_id, winner_id, loser_ids }: Merging): Promise<void> {
  const rows = await loadLinksTo(inside, loser_ids, winner_id)
  const moves = rows.map(({ from_type, from_id, relation, to_id, held }): Move => {
    return { resource: from_type, relation, record_id: from_id, from_id: to_id, added: held === 1 ? 0 : 1 }
  })
  await insertMoves(inside, merge_id, moves)
  for (const [type, own] of Map.groupBy(rows, (row) => row.from_type)) {
    const fresh = new Map(
      own
        .filter((row) => row.held === 0)
        .map(({ from_id, relation }) => [`${from_id} ${relation}`, { from_id, relation }]),
    )
    if (fresh.size === 0) continue
    const links = [...fresh.values()].map((link) => ({ ...link, to_id: winner_id }))
    await insertLinks(inside, type, links)
    const touched = await touch(inside, type, { merge_id, winner_id })
    await writeAudit(inside, linkEntries(touched, registry[type], own, winner_id))
  }
}

/** What changes of the links of each record that was touched. */
function linkEntries(touched: ReadonlySet<string>, from: Resource, rows: readonly LinkRow[], winnerId: string) {
  const fresh = rows.filter((row) => row.held === 0 && touched.has(row.from_id))
  return [...Map.groupBy(fresh, (row) => row.from_id)].map(([id, own]) => {
    const byRelation = [...Map.groupBy(own, (row) => row.relation)]
    const changes = byRelation.map(([relation, links]): Change => {
      return [linkKey(from, relation), links.map((link) => link.to_id), [winnerId]]
    })
    return moved(from, id, ...changes)
  })
}

/** Gives the records whose link to the winner was made by the merge a new time, and tells which they are. */
export async function touch(
  inside: Scope,
  type: ResourceName,
  { merge_id, winner_id }: { merge_id: string; winner_id: string },
): Promise<ReadonlySet<string>> {
  const touched = await lockLinked(inside, merge_id, type, winner_id)
  if (touched.length > 0) {
    await touchLinked(inside, merge_id, type, { winnerId: winner_id, at: momentAfterAll(inside, touched) })
  }
  await moveCounts(inside.db, inside.engine, inside.workspace.id, type, { live: 0 })
  return new Set(touched.map((row) => row.id))
}

export function momentAfterAll(inside: Scope, rows: readonly { updated_at: string }[]): string {
  return momentAfter(
    inside,
    rows.reduce((last, row) => (row.updated_at > last ? row.updated_at : last), '1970-01-01T00:00:00.000Z'),
  )
}
