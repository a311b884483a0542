import type { FieldDefinition } from '@kith/contract/field-definition'
import { MATCHES_MAX } from '@kith/contract/limits'
import type { Resource, ResourceName } from '@kith/contract/resource'
import type { Reader, RecordTenant, Tenant } from '../engines/engine.ts'
import { type Sql, type SqlBool, sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'
import { Conflict } from '../engines/transactions.ts'
import { isOf } from './numbers.ts'
import { columnsForChange, type ForChange, type StoredRecord, storedRecord } from './records.ts'

/** An id of another system that a record claims. */
export type ExternalClaim = { namespace: string; external_id: string }

/** An id of a record. Positions give the ids of a namespace the order in which they were added. */
export type ExternalIdRow = ExternalClaim & { record_id: string; position: number }

const names = ['workspace_id', 'record_id', 'namespace', 'external_id', 'resource', 'position', 'live']

const into = { table: 'external_ids', columns: columnsOf(names, ['resource', 'position', 'live']) }

/** Whether a row under an alias is an id of a record of the resource, live or deleted. */
export function areIdsOf({ workspace }: Tenant, { number }: Resource, alias: string): Sql<SqlBool> {
  return sql`${sql.ref(`${alias}.workspace_id`)} = ${workspace.id} and ${sql.ref(`${alias}.resource`)} = ${sql.lit(number)}`
}

/** Inserts ids of live records. */
export function insertExternalIds(inside: Tenant, { number }: Resource, rows: readonly ExternalIdRow[]): Promise<void> {
  const inserted = rows.map((row) => [
    inside.workspace.id,
    row.record_id,
    row.namespace,
    row.external_id,
    number,
    row.position,
    1,
  ])
  return inside.engine.insertRows(inside.db, into, inserted)
}

/** Removes ids of any number of records. */
export async function removeExternalIds(inside: Tenant, removed: readonly ExternalIdRow[]): Promise<void> {
  if (removed.length === 0) return
  const named = removed.map((row) => `${row.record_id} ${row.namespace} ${row.external_id}`)
  await sql`delete from external_ids where workspace_id = ${inside.workspace.id}
    and record_id ${sql.among([...new Set(removed.map((row) => row.record_id))])}
    and record_id || ' ' || namespace || ' ' || external_id ${sql.among(named)}`.run(inside.db)
}

/** All ids of some records, live or deleted, in the order in which they are shown. */
export async function loadExternalIds(scope: Tenant, recordIds: readonly string[]): Promise<ExternalIdRow[]> {
  return recordIds.length === 0 ? [] : externalIdsAmong(scope, recordIds).all(scope.db)
}

export function externalIdsAmong(scope: Tenant, recordIds: readonly string[]): Sql<ExternalIdRow> {
  return sql<ExternalIdRow>`select record_id, namespace, external_id, position from external_ids
    where workspace_id = ${scope.workspace.id} and record_id ${sql.among(recordIds)}
    order by record_id, namespace, position`
}

/** The namespaces that live records of a resource use. */
export function loadNamespaces(scope: Tenant, resource: Resource): Promise<string[]> {
  return sql<string>`${namespacesOf(scope, resource)} order by namespace`.column(scope.db)
}

/** The live records that hold an id in any namespace. */
export function holdersOf(scope: Reader, resource: Resource, externalId: string): Sql<{ record: number }> {
  const each = sql`(${namespacesOf(scope, resource)}) n`
  const where = sql`${areIdsOf(scope, resource, 'e')}
    and e.namespace = n.namespace and e.external_id = ${externalId} and e.live = 1`
  const held = scope.engine.hints.lookUpEach({ each, table: 'external_ids', alias: 'e', where })
  return numbersIn(scope, resource.type, sql`select e.record_id ${held}`)
}

/** The records of a resource whose ids are the `record_id` of a select. */
export function numbersIn(scope: Reader, resource: ResourceName, ids: Sql<unknown>): Sql<{ record: number }> {
  const where = sql`${isOf(scope, resource, 'h')} and h.id = i.record_id`
  const held = scope.engine.hints.lookUpEach({ each: sql`(${ids}) i`, table: 'records', alias: 'h', where })
  return sql`select h.number as record, h.created_at ${held}`
}

/** Each namespace is one look-up in the index, for any number of ids. */
function namespacesOf(scope: Tenant, resource: Resource): Sql<unknown> {
  const held = sql`from external_ids e where ${areIdsOf(scope, resource, 'e')} and e.live = 1`
  return sql`with recursive used (namespace) as (
      select min(e.namespace) ${held}
      union all select (select min(e.namespace) ${held} and e.namespace > used.namespace) from used
        where used.namespace is not null)
    select namespace from used where namespace is not null`
}

/** Makes the ids of records that are deleted free for others, and returns them. The rows stay for a restore. */
export async function freeExternalIds(inside: Tenant, recordIds: readonly string[]): Promise<ExternalIdRow[]> {
  if (recordIds.length === 0) return []
  const rows = await sql<ExternalIdRow>`update external_ids set live = 0
    where workspace_id = ${inside.workspace.id} and record_id ${sql.among(recordIds)}
    returning record_id, namespace, external_id, position`.all(inside.db)
  return rows.sort(inOrder)
}

/** The order in which the ids of a record are shown. */
export function inOrder(one: ExternalIdRow, other: ExternalIdRow): number {
  if (one.namespace === other.namespace) return one.position - other.position
  return one.namespace < other.namespace ? -1 : 1
}

/** Gives records that are restored their ids back. */
export async function returnExternalIds(inside: Tenant, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return
  await sql`update external_ids set live = 1
    where workspace_id = ${inside.workspace.id} and record_id ${sql.among(recordIds)}`.run(inside.db)
}

/** An id that another live record holds, and that record. */
export type TakenId = ExternalClaim & { holder: { id: string; label: string } }

/** Those of the ids that a live record other than these holds. */
export async function findTakenIds(
  inside: RecordTenant,
  resource: Resource,
  { claims, except = [] }: { claims: readonly ExternalClaim[]; except?: readonly string[] },
): Promise<TakenId[]> {
  if (claims.length === 0) return []
  const others = except.length === 0 ? sql`` : sql`and record_id not in (${sql.join(except)})`
  const rows = await sql<ExternalClaim & { id: string; label: string }>`
    select e.namespace, e.external_id, r.id, r.name as label from (
      select namespace, external_id, record_id from external_ids i
      where ${areIdsOf(inside, resource, 'i')} and live = 1
      and ${isAmong(claims)} ${others}) e
    join records r on ${isOf(inside, resource.type, 'r')} and r.id = e.record_id
    order by e.namespace, e.external_id`.all(inside.db)
  return rows.map(({ namespace, external_id, id, label }) => ({ namespace, external_id, holder: { id, label } }))
}

function isAmong(claims: readonly ExternalClaim[]): Sql<unknown> {
  const parts = [...Map.groupBy(claims, ({ namespace }) => namespace)].map(([namespace, own]) => {
    return sql`(namespace = ${namespace} and external_id ${sql.among(own.map((claim) => claim.external_id))})`
  })
  return sql`(${sql.join(parts, sql` or `)})`
}

type HeldId = (ForChange | { id: null }) & { held: string }

/** The records that hold each value. */
export type Holders = ReadonlyMap<string, readonly StoredRecord[]>

/**
 * The live records that hold each of some values, oldest first, one more than the limit of each value, locked until the
 * transaction ends.
 */
export function findHolders(
  inside: RecordTenant,
  resource: Resource,
  { field, keys }: { field: FieldDefinition; keys: readonly string[] },
): Promise<Holders> {
  const values = sql`from field_values
    where workspace = ${inside.workspace.number} and field = ${field.number} and match_key ${sql.among(keys)}`
  const found = sql`select held, record, created_at from (
      select match_key as held, record, created_at, row_number() over (
        partition by match_key order by created_at, record) as place
      from (select distinct match_key, record, created_at ${values}) d) n
    where place <= ${sql.lit(MATCHES_MAX + 1)}`
  const isHolder = sql`r0.number = h.record`
  const among = sql`r.number in (select record ${values})`
  return lockHolders(inside, resource, { found, isHolder, among, order: sql`order by h.created_at, r0.id` })
}

/** The live record that holds each of some external ids, locked until the transaction ends. */
export function findHoldersOfIds(
  inside: RecordTenant,
  resource: Resource,
  { namespace, ids }: { namespace: string; ids: readonly string[] },
): Promise<Holders> {
  const values = sql`from external_ids i where ${areIdsOf(inside, resource, 'i')}
    and namespace = ${namespace} and external_id ${sql.among(ids)} and live = 1`
  const found = sql`select external_id as held, record_id ${values}`
  const isHolder = sql`r0.id = h.record_id`
  const among = sql`r.id in (select record_id ${values})`
  return lockHolders(inside, resource, { found, isHolder, among, order: sql`` })
}

/**
 * `found` selects each value that is `held` with its holder `r0`, `among` tells whether a record `r` is one of the
 * holders.
 */
async function lockHolders(
  inside: RecordTenant,
  resource: Resource,
  { found, isHolder, among, order }: Record<'found' | 'isHolder' | 'among' | 'order', Sql<unknown>>,
): Promise<Holders> {
  const reading = sql<HeldId>`select h.held, ${columnsForChange(inside, resource)} from (${found}) h
    left join records r0 on ${isOf(inside, resource.type, 'r0')} and ${isHolder} and r0.deleted_at is null ${order}`
  if (!inside.engine.concurrentWrites) return stored(resource, await reading.all(inside.db))
  // The second statement sees everything that was committed before the first got its locks.
  const locking = sql<string>`select r.id from records r where ${isOf(inside, resource.type, 'r')} and ${among}
    order by r.id for no key update`
  const [locked, rows] = await Promise.all([locking.column(inside.db), reading.all(inside.db)])
  const holders = stored(resource, rows)
  const known = new Set<string | null>(locked)
  // A merge may have moved the value to another record meanwhile. Locking that one now would break the lock order.
  if (!rows.every(({ id }) => known.has(id))) throw new Conflict()
  return holders
}

function stored(resource: Resource, rows: readonly HeldId[]): Holders {
  const records = new Map<string, StoredRecord[]>()
  for (const { held, ...row } of rows) {
    if (row.id === null) throw new Error('The index names a record that is not there.')
    // Every column but the one that names the value is that of a record.
    records.getOrInsertComputed(held, () => []).push(storedRecord(resource, row as ForChange))
  }
  return records
}
