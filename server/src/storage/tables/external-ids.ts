import type { Resource, ResourceName } from '@kith/contract/resource'
import type { Scope, Writing } from '../../scope/scope.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'

/** An id of another system that a record claims. */
export type ExternalClaim = { namespace: string; external_id: string }

/** An id of a record. Positions give the ids of a namespace the order in which they were added. */
export type ExternalIdRow = ExternalClaim & { record_id: string; position: number }

const names = ['workspace_id', 'record_id', 'namespace', 'external_id', 'resource', 'position', 'live']
const into = { table: 'external_ids', columns: columnsOf(names, ['position', 'live']) }

/** Inserts ids of live records. */
export function insertExternalIds(
  inside: Writing,
  resource: ResourceName,
  rows: readonly ExternalIdRow[],
): Promise<void> {
  const inserted = rows.map((row) => [
    ...[inside.workspace.id, row.record_id, row.namespace, row.external_id, resource],
    ...[row.position, 1],
  ])
  return inside.engine.insertRows(inside.db, into, inserted)
}

/** Removes ids of any number of records. */
export async function removeExternalIds(inside: Scope, removed: readonly ExternalIdRow[]): Promise<void> {
  if (removed.length === 0) return
  const named = removed.map((row) => `${row.record_id} ${row.namespace} ${row.external_id}`)
  await sql`delete from external_ids where workspace_id = ${inside.workspace.id}
    and record_id ${sql.among([...new Set(removed.map((row) => row.record_id))])}
    and record_id || ' ' || namespace || ' ' || external_id ${sql.among(named)}`.run(inside.db)
}

/** All ids of some records, live or deleted, in the order in which they are shown. */
export async function loadExternalIds(scope: Scope, recordIds: readonly string[]): Promise<ExternalIdRow[]> {
  return recordIds.length === 0 ? [] : externalIdsAmong(scope, recordIds).all(scope.db)
}

export function externalIdsAmong(scope: Scope, recordIds: readonly string[]): Sql<ExternalIdRow> {
  return sql<ExternalIdRow>`select record_id, namespace, external_id, position from external_ids
    where workspace_id = ${scope.workspace.id} and record_id ${sql.among(recordIds)}
    order by record_id, namespace, position`
}

/** The namespaces that live records of a resource use. */
export function loadNamespaces(scope: Scope, resource: ResourceName): Promise<string[]> {
  return sql<string>`${namespacesOf(scope, resource)} order by namespace`.column(scope.db)
}

/** The live records that hold an id in any namespace. */
export function holdersOf(scope: Scope, resource: ResourceName, externalId: string): Sql<{ record_id: string }> {
  const each = sql`(${namespacesOf(scope, resource)}) n`
  const where = sql`e.workspace_id = ${scope.workspace.id} and e.resource = ${resource}
    and e.namespace = n.namespace and e.external_id = ${externalId} and e.live = 1`
  const held = scope.engine.hints.lookUpEach({ each, table: 'external_ids', alias: 'e', where })
  return sql`select e.record_id ${held}`
}

/** Each namespace is one look-up in the index, whatever the number of ids. */
function namespacesOf(scope: Scope, resource: ResourceName): Sql<unknown> {
  const held = sql`from external_ids e where e.workspace_id = ${scope.workspace.id} and e.resource = ${resource}
    and e.live = 1`
  return sql`with recursive used (namespace) as (
      select min(e.namespace) ${held}
      union all select (select min(e.namespace) ${held} and e.namespace > used.namespace) from used
        where used.namespace is not null)
    select namespace from used where namespace is not null`
}

/** Makes the ids of records that are deleted free for others, and returns them. The rows stay for a restore. */
export async function freeExternalIds(inside: Scope, recordIds: readonly string[]): Promise<ExternalIdRow[]> {
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
export async function returnExternalIds(inside: Scope, recordIds: readonly string[]): Promise<void> {
  if (recordIds.length === 0) return
  await sql`update external_ids set live = 1
    where workspace_id = ${inside.workspace.id} and record_id ${sql.among(recordIds)}`.run(inside.db)
}

/** An id that another live record holds, and that record. */
export type TakenId = ExternalClaim & { holder: { id: string; label: string } }

/** Those of the ids that a live record other than these holds. */
export async function findTakenIds(
  inside: Scope,
  resource: Resource,
  { claims, except = [] }: { claims: readonly ExternalClaim[]; except?: readonly string[] },
): Promise<TakenId[]> {
  if (claims.length === 0) return []
  const others = except.length === 0 ? sql`` : sql`and record_id not in (${sql.join(except)})`
  const rows = await sql<ExternalClaim & { id: string; label: string }>`
    select e.namespace, e.external_id, r.id, ${sql.ref(`r.${resource.label}`)} as label from (
      select namespace, external_id, record_id from external_ids
      where workspace_id = ${inside.workspace.id} and resource = ${resource.type} and live = 1
      and ${isAmong(claims)} ${others}) e
    join ${sql.table(resource.type)} r on r.workspace_id = ${inside.workspace.id} and r.id = e.record_id
    order by e.namespace, e.external_id`.all(inside.db)
  return rows.map(({ namespace, external_id, id, label }) => ({ namespace, external_id, holder: { id, label } }))
}

function isAmong(claims: readonly ExternalClaim[]): Sql<unknown> {
  const parts = [...Map.groupBy(claims, ({ namespace }) => namespace)].map(([namespace, own]) => {
    return sql`(namespace = ${namespace} and external_id ${sql.among(own.map((claim) => claim.external_id))})`
  })
  return sql`(${sql.join(parts, sql` or `)})`
}
