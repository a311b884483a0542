import type { RelatedType, Resource } from '@kith/contract/resource'
import type { Scope } from '../scope/scope.ts'
import { Conflict } from '../storage/engines/transactions.ts'
import { lockRows, type RowLock } from '../storage/tables/lock-rows.ts'
import type { Changes } from './changes.ts'
import { type Claimed, lockClaims } from './check-input.ts'

/** What a write must lock. */
export type Locks = Partial<Claimed> & { rows: readonly RowLock[] }

/**
 * For a write that must read rows to know what to lock: reads them, locks in the order of decision 14, and reads them
 * again. What it returns does not change until the transaction ends. If the second read needs more locks than the
 * first, the transaction restarts.
 */
export async function lockWhatIsRead<T>(
  inside: Scope,
  read: () => Promise<T>,
  locksOf: (seen: T) => Locks,
): Promise<T> {
  const seen = await read()
  const locks = locksOf(seen)
  await lockClaims(inside, [{ claims: [], externalIds: [], ...locks }])
  const othersWrite = await lockRows(inside, locks.rows)
  if (!othersWrite) return seen
  const again = await read()
  if (!namesIn(locksOf(again)).isSubsetOf(namesIn(locks))) throw new Conflict()
  return again
}

function namesIn({ claims = [], externalIds = [], rows }: Locks): Set<string> {
  return new Set([
    ...externalIds.map(({ namespace, external_id }) => `${namespace} ${external_id}`),
    ...claims.map(({ field, key }) => `${field.id} ${key}`),
    ...rows.flatMap(({ table, ids }) => ids.map((id) => `${table} ${id}`)),
  ])
}

/** The records that changes newly name. None of them may be deleted or merged meanwhile. */
export function namedRows(resource: Resource, { references, links }: Pick<Changes, 'references' | 'links'>): RowLock[] {
  const named = [...references].map(([column, id]) => ({ to: resource.references[column]?.to, ids: id ? [id] : [] }))
  const linked = links.map(({ relation, added }) => ({ to: linkedTo(resource, relation), ids: added }))
  return [...named, ...linked].flatMap(({ to, ids }) =>
    to === undefined || to === 'users' ? [] : [{ table: to, ids, mode: 'refer' as const }],
  )
}

function linkedTo(resource: Resource, relation: string): RelatedType | undefined {
  return Object.values(resource.links).find((list) => list.relation === relation)?.to
}
