import { registry, resources } from '@kith/contract/registry'
import type { Resource, ResourceName } from '@kith/contract/resource'
import { type AuditEntry, type Change, writeAudit } from '../../audit/write.ts'
import type { Scope } from '../../scope/scope.ts'
import { addToCounts } from '../../storage/tables/counts.ts'
import { insertLinks } from '../../storage/tables/links.ts'
import type { LockedTable, RowLock } from '../../storage/tables/lock-rows.ts'
import {
  insertMoves,
  type LinkRow,
  loadLinked,
  loadLinksTo,
  loadReferring,
  type Move,
  type Referring,
  replaceReferences,
  touchLinked,
} from '../../storage/tables/merge-moves.ts'
import { linkKey } from '../audit-changes.ts'
import { momentAfter } from '../effects.ts'
import { settled } from '../settled.ts'

export type Merging = { merge_id: string; winner_id: string; loser_ids: readonly string[] }

/** A column by which records of another resource refer to this one. */
export type ReferringColumn = { referring: Resource; column: string }

/** What refers or is linked to the losers of a merge, live or deleted. */
export type Moving = { references: (ReferringColumn & { rows: Referring[] })[]; links: LinkRow[] }

/**
 * Locks what refers or is linked to the losers. They are locked already, so that nothing more can come to refer to
 * them.
 */
export function lockMoving(inside: Scope, resource: Resource, merging: Omit<Merging, 'merge_id'>): Promise<Moving> {
  return settled(
    inside,
    () => readMoving(inside, resource, merging),
    ({ references, links }) => ({
      claims: [],
      rows: [
        ...references.map(({ referring, rows }) => changing(referring.type, rows)),
        ...links.map(({ from_type, from_id }) => changing(from_type, [{ id: from_id }])),
      ],
    }),
  )
}

async function readMoving(
  inside: Scope,
  resource: Resource,
  { winner_id, loser_ids }: Omit<Merging, 'merge_id'>,
): Promise<Moving> {
  const references: Moving['references'] = []
  for (const { referring, column } of columnsTo(resource)) {
    references.push({
      referring,
      column,
      rows: await loadReferring(inside, { resource: referring, column, ids: loser_ids }),
    })
  }
  return { references, links: await loadLinksTo(inside, loser_ids, winner_id) }
}

export function changing(table: LockedTable, rows: readonly { id: string }[]): RowLock {
  return { table, ids: rows.map((row) => row.id), mode: 'change' }
}

/**
 * Makes everything that refers to the losers, or is linked to them, refer to the winner: a few statements for each
 * kind.
 */
export async function moveToWinner(inside: Scope, { references, links }: Moving, merging: Merging): Promise<void> {
  for (const one of references) await moveReferences(inside, one, merging)
  await moveLinks(inside, links, merging)
}

/** The columns of other resources that refer to this one. */
export function columnsTo(resource: Resource): ReferringColumn[] {
  return resources.flatMap((referring) =>
    Object.entries(referring.references)
      .filter(([, { to }]) => to === resource.type)
      .map(([column]) => ({ referring, column })),
  )
}

async function moveReferences(
  inside: Scope,
  { referring, column, rows }: Moving['references'][number],
  { merge_id, winner_id, loser_ids }: Merging,
): Promise<void> {
  if (rows.length === 0) return
  const moves = rows.map(({ id, from_id }): Move => {
    return { resource: referring.type, relation: column, record_id: id, from_id, added: 1 }
  })
  await insertMoves(inside, merge_id, moves)
  const at = momentAfterAll(inside, rows)
  await replaceReferences(inside, { resource: referring, column, ids: loser_ids }, { by: winner_id, at })
  await addToCounts(inside, referring.type, 0)
  const live = rows.filter((row) => row.deleted_at === null)
  await writeAudit(
    inside,
    live.map(({ id, from_id }) => moved(referring, id, [column, from_id, winner_id])),
  )
}

/** The entry for a record that was changed because what it refers to was merged or unmerged. */
export function moved(resource: Resource, record_id: string, ...changes: Change[]): AuditEntry {
  return { action: 'update', resource: resource.type, record_id, changes }
}

/** The links to the losers stay, out of sight, for when they come back. */
async function moveLinks(inside: Scope, rows: readonly LinkRow[], { merge_id, winner_id }: Merging): Promise<void> {
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
    await writeAudit(inside, linkEntries(registry[type], { touched, rows: own, winner_id }))
  }
}

/** What changes of the links of each record that was touched. */
function linkEntries(
  from: Resource,
  { touched, rows, winner_id }: { touched: ReadonlySet<string>; rows: readonly LinkRow[]; winner_id: string },
): AuditEntry[] {
  const fresh = rows.filter((row) => row.held === 0 && touched.has(row.from_id))
  return [...Map.groupBy(fresh, (row) => row.from_id)].map(([id, own]) => {
    const byRelation = [...Map.groupBy(own, (row) => row.relation)]
    const changes = byRelation.map(([relation, links]): Change => {
      return [linkKey(from, relation), links.map((link) => link.to_id), [winner_id]]
    })
    return moved(from, id, ...changes)
  })
}

/** Gives the records whose link to the winner was made by the merge a new time, and returns their ids. */
export async function touch(
  inside: Scope,
  type: ResourceName,
  { merge_id, winner_id }: { merge_id: string; winner_id: string },
): Promise<ReadonlySet<string>> {
  const linked = { merge_id, type, winner_id }
  const touched = await loadLinked(inside, linked)
  if (touched.length > 0) await touchLinked(inside, linked, momentAfterAll(inside, touched))
  await addToCounts(inside, type, 0)
  return new Set(touched.map((row) => row.id))
}

export function momentAfterAll(inside: Scope, rows: readonly { updated_at: string }[]): string {
  return momentAfter(
    inside,
    rows.reduce((last, row) => (row.updated_at > last ? row.updated_at : last), '1970-01-01T00:00:00.000Z'),
  )
}
