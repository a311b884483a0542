import { type RelatedType, type ResourceName, resourceIn } from '@kith/contract/resource'
import type { NumberedTenant, RecordTenant, Tenant } from '../engines/engine.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'
import { posting } from '../engines/transactions.ts'
import { isNumbered, isOf } from './numbers.ts'

const into = { table: 'links', columns: columnsOf(['workspace_id', 'from_type', 'from_id', 'relation', 'to_id']) }

export type Link = { from_id: string; relation: string; to_id: string }

export function insertLinks(inside: Tenant, fromType: ResourceName, links: readonly Link[]): Promise<void> {
  const rows = links.map((link) => [inside.workspace.id, fromType, link.from_id, link.relation, link.to_id])
  return inside.engine.insertRows(inside.db, into, rows)
}

/** Removes links of any number of records. */
export async function removeLinks(inside: Tenant, links: readonly Link[]): Promise<void> {
  if (links.length === 0) return
  const named = links.map(({ from_id, relation, to_id }) => `${from_id} ${relation} ${to_id}`)
  await sql`delete from links where workspace_id = ${inside.workspace.id}
    and from_id ${sql.among([...new Set(links.map((link) => link.from_id))])}
    and from_id || ' ' || relation || ' ' || to_id ${sql.among(named)}`.run(inside.db)
}

/** The links of records in some relations, including those to deleted records and former members. */
export async function loadLinked(
  scope: Tenant,
  fromIds: readonly string[],
  relations: readonly string[],
): Promise<Link[]> {
  if (fromIds.length === 0 || relations.length === 0) return []
  return sql<Link>`select from_id, relation, to_id from links where workspace_id = ${scope.workspace.id}
    and from_id ${sql.among(fromIds)} and relation ${sql.among(relations)}`.all(scope.db)
}

/** The latest live records that are linked to a record, read along the index. */
export function loadLatestLinked(
  scope: RecordTenant,
  part: {
    to_id: string
    from_type: ResourceName
    relation: string
    before: string | undefined
    limit: number
  },
): Promise<string[]> {
  const { to_id, from_type, relation, before, limit } = part
  return sql<string>`select l.from_id from links l
    join records r on ${isOf(scope, from_type, 'r')} and r.id = l.from_id and r.deleted_at is null
    where l.workspace_id = ${scope.workspace.id} and l.to_id = ${to_id} and l.from_type = ${from_type}
    and l.relation = ${relation} ${before === undefined ? sql`` : sql`and l.from_id < ${before}`}
    order by l.from_id desc limit ${sql.unseen(limit)}`.column(scope.db)
}

/** Those of the ids that are members or live records of the workspace, in one statement. */
export function findExisting(scope: RecordTenant, to: RelatedType, ids: readonly string[]): Promise<Set<string>> {
  return findAmong(scope, to, { ids, state: sql`and r.deleted_at is null` })
}

/** Those of the ids that are members or records of the workspace, live or deleted. */
export function findKnown(scope: RecordTenant, to: RelatedType, ids: readonly string[]): Promise<Set<string>> {
  return findAmong(scope, to, { ids, state: sql`` })
}

async function findAmong(
  scope: RecordTenant,
  to: RelatedType,
  { ids, state }: { ids: readonly string[]; state: Sql<unknown> },
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const { db, workspace } = scope
  const found =
    to === 'users'
      ? sql<string>`select user_id from members
          where workspace_id = ${workspace.id} and user_id ${sql.among(ids)}`
      : sql<string>`select r.id from records r
          where ${isOf(scope, to, 'r')} and r.id ${sql.among(ids)} ${state}`
  return new Set(await found.column(db))
}

/** Rows that writes lock: those of a resource, by its number, or merges. */
type Locked = number | 'merges'

/**
 * From weak to strong. `refer`: the record stays live. `change`: others may still refer to it. `alone`: not even that.
 */
const modes = ['refer', 'change', 'alone'] as const

type LockMode = (typeof modes)[number]

const clauses: Readonly<Record<LockMode, string>> = {
  refer: 'for key share',
  change: 'for no key update',
  alone: 'for update',
}

export type RowLock = { of: Locked; ids: readonly string[]; mode: LockMode }

/**
 * Locks rows until the transaction ends: by the number of their resource, within a resource by id, and merges last
 * (decision 14). A built-in record only refers to records of resources before its own, so this is also "what is
 * referred to, then what refers to it". All rows that a write locks at one time go through one call. It does not wait
 * for the locks: the next read sees what was committed before they were taken. False if only one transaction writes at
 * a time.
 */
export async function lockRows(inside: NumberedTenant, locks: readonly RowLock[]): Promise<boolean> {
  if (!inside.engine.concurrentWrites) return false
  const byResource = Map.groupBy(locks, ({ of }) => of)
  const inOrder = [...byResource].sort(([one], [other]) => placeOf(one) - placeOf(other))
  for (const [of, own] of inOrder) {
    const ids = [...new Set(own.flatMap((lock) => lock.ids))]
    if (ids.length === 0) continue
    // One statement per resource, so that its rows are locked in the order of their ids in every mode.
    const mode = modes.findLast((one) => own.some((lock) => lock.mode === one)) ?? 'alone'
    await locking(inside, { of, ids, mode }).run(posting(inside.db))
  }
  return true
}

function placeOf(of: Locked): number {
  return of === 'merges' ? Number.POSITIVE_INFINITY : of
}

/**
 * Those of the ids that are members or live records of the workspace. Such a record is neither deleted nor merged into
 * another one before the transaction ends: a merge moves what refers to its losers, so it must see what is being
 * written.
 */
export async function lockLive(inside: RecordTenant, to: RelatedType, ids: readonly string[]): Promise<Set<string>> {
  if (to === 'users' || ids.length === 0 || !inside.engine.concurrentWrites) return findExisting(inside, to, ids)
  const live = sql`and deleted_at is null`
  return new Set(
    await locking(inside, { of: resourceIn(inside.schema, to).number, ids, mode: 'refer' }, live).column(inside.db),
  )
}

/** Only databases with concurrent writes run this, so it may use an array. */
function locking(inside: NumberedTenant, { of, ids, mode }: RowLock, state = sql``): Sql<string> {
  const rows =
    of === 'merges'
      ? sql`from merges x where x.workspace_id = ${inside.workspace.id}`
      : sql`from records x where ${isNumbered(inside, of, 'x')}`
  return sql`select x.id ${rows} and x.id = any (${ids}::text[]) ${state} order by x.id ${sql.raw(clauses[mode])}`
}
