import { resources } from '@kith/contract/registry'
import type { Resource } from '@kith/contract/resource'
import type { Change } from '../../audit/write.ts'
import type { Scope } from '../../scope/scope.ts'
import { loadLinking, touchLinking, touchReferring } from '../../storage/tables/readable-again.ts'
import { linkKey } from '../changes.ts'
import { finishReferences, lockMoving, type Moving, movedEntry } from '../merge/moves.ts'
import { momentAfter } from '../moment-after.ts'
import { finishWrite } from '../store.ts'

/**
 * Locks what refers or is linked to a deleted record, which is locked. Deleted ones as well: one that is restored at
 * the same time must see this record, or be seen here.
 */
export function lockReferring(inside: Scope, resource: Resource, id: string): Promise<Moving> {
  return lockMoving(inside, resource, { winner_id: id, loser_ids: [id] })
}

/** A record is back: a new time and an entry for each live record whose reference or link to it is readable again. */
export async function storeReadableAgain(inside: Scope, { references, links }: Moving, id: string): Promise<void> {
  for (const { referring, column, rows } of references) {
    if (rows.every((row) => row.deleted_at !== null)) continue
    const at = momentAfter(inside, rows)
    await touchReferring(inside, { resource: referring, column, id }, at)
    await finishReferences(inside, referring, { rows, at, changeOf: () => [column, null, id] })
  }
  const linking = new Set(links.map((link) => link.from_type))
  for (const resource of resources.filter(({ type }) => linking.has(type))) {
    await storeLinkedAgain(inside, resource, { id, links })
  }
}

async function storeLinkedAgain(
  inside: Scope,
  resource: Resource,
  { id, links }: { id: string; links: Moving['links'] },
): Promise<void> {
  const { type } = resource
  const live = await loadLinking(inside, type, id)
  if (live.length === 0) return
  const at = momentAfter(inside, live)
  await touchLinking(inside, { type, id }, at)
  const relations = Map.groupBy(links, (link) => link.from_id)
  const entries = live.map((row) => {
    const own = relations.get(row.id) ?? []
    const changes = own.map(({ relation }): Change => [linkKey(resource, relation), [], [id]])
    return movedEntry(type, { record_id: row.id, at }, changes)
  })
  await finishWrite(inside, type, { entries })
}
