import { type ResourceName, resourceIn } from '@kith/contract/resource'
import { requireAbilities } from '../../scope/permissions.ts'
import { inSnapshot, type Scope } from '../../scope/scope.ts'
import { loadLabels } from '../../storage/query/related.ts'
import { loadMerges, loserTable } from '../../storage/tables/merges.ts'
import { type PageOf, type PageParams, parsePage, restorableSince, restorableUntil } from '../trash/trash.ts'

type NamedRecord = { id: string; name: string | null }

/** The merges of one resource or of all, latest first; with `undoable` only those of the last 30 days. */
export async function listMerges(
  scope: Scope,
  { resource, undoable = false, ...params }: { resource?: ResourceName; undoable?: boolean } & PageParams,
): Promise<
  PageOf<{
    id: string
    resource: ResourceName
    winner: NamedRecord
    losers: NamedRecord[]
    merged_at: string
    merged_by: { id: string; name: string } | null
    undone_at: string | null
    undoable_until: string
  }>
> {
  requireAbilities(scope, ['read'])
  const { page, per_page } = parsePage(params)
  const since = undoable ? restorableSince(scope) : undefined
  const part = { resource, since, limit: per_page, offset: (page - 1) * per_page }
  const { rows, total, losers, names } = await inSnapshot(scope, (inside) => loadNamed(inside, part))
  const named = (id: string): NamedRecord => ({ id, name: names.get(id) ?? null })
  const data = rows.map((row) => ({
    id: row.id,
    resource: row.resource,
    winner: named(row.winner_id),
    losers: (losers.get(row.id) ?? []).map((loser) => named(loser.record_id)),
    merged_at: row.created_at,
    merged_by: row.actor_id === null || row.actor_name === null ? null : { id: row.actor_id, name: row.actor_name },
    undone_at: row.undone_at,
    undoable_until: restorableUntil(row.created_at),
  }))
  return { data, total, page, per_page }
}

/** A page of merges with the names of their records. */
async function loadNamed(inside: Scope, part: Parameters<typeof loadMerges>[1]) {
  const { rows, total } = await loadMerges(inside, part)
  const merged = rows.map((row) => row.id)
  const losers = Map.groupBy(
    await loserTable.load(inside, { merge_id: merged }, 'merge_id', 'record_id'),
    (loser) => loser.merge_id,
  )
  const names = new Map<string, string>()
  for (const [type, merges] of Map.groupBy(rows, (row) => row.resource)) {
    // Those of an archived resource have no names.
    if (!inside.schema.has(type)) continue
    const losersOf = (id: string) => (losers.get(id) ?? []).map((one) => one.record_id)
    const ids = merges.flatMap(({ id, winner_id }) => [winner_id, ...losersOf(id)])
    for (const [id, label] of await loadLabels(inside, resourceIn(inside.schema, type), [...new Set(ids)]))
      names.set(id, label)
  }
  return { rows, total, losers, names }
}
