import { stampColumns, type stamps } from '@kith/contract/declare'
import type { Resource, ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import type { Db, Engine, RowParts } from '../engines/engine.ts'
import { fixed } from '../engines/fixed.ts'
import { sql } from '../engines/sql.ts'
import type { Column } from '../engines/stored-table.ts'
import { lockRows } from './lock-rows.ts'

/** A record as it is shown: references to what is deleted or has left read null. */
export type RecordRow = Own & { id: string } & { [column in 'name' | 'title']?: string } & {
  [column in ReferenceColumn]?: string | null
}

/** The columns that all record tables have and that hold what their names say. */
type Own = { creator_id: string | null; custom_fields: string } & { [column in keyof typeof stamps]: string }

const ownColumns: readonly (keyof Own)[] = ['creator_id', ...stampColumns, 'custom_fields']

type ReferenceColumn = 'account_owner_id' | 'company_id' | 'contact_id'

/** A row of a list. The custom fields of a large record are left out: `records/complete-rows.ts` loads them in parts. */
export type LightRow = Omit<RecordRow, 'custom_fields'> & { custom_fields: string | null; custom_bytes: number }

/** A record as it is stored, for whoever is about to change it. */
export type StoredRecord = RecordRow & { stored: Readonly<Record<string, string | null>> }

export type NewRecord = Own & {
  id: string
  label: string
  name_key: string
  references: ReadonlyMap<string, string | null>
}

/** The start of every query on records: one workspace, live records only. */
export function recordsOf(scope: Scope, resource: Resource) {
  return scope.db.query
    .selectFrom(`${resource.type} as r0`)
    .where('r0.workspace_id', '=', scope.workspace.id)
    .where('r0.deleted_at', 'is', null)
}

/** The columns of a `RecordRow`, for the table alias `r0`. */
export function shownColumns(resource: Resource): string {
  const references = Object.entries(resource.references).map(
    ([column, { to }]) => `${idIfThere(to, column)} as ${column}`,
  )
  return ['r0.id', `r0.${resource.label}`, ...references, ...ownColumns.map((column) => `r0.${column}`)].join(', ')
}

/** Custom fields up to this size are read together with their row. */
const LIGHT_BYTES = 16 * 1024

/** The columns of a `LightRow`. Neither database reads a large text only to tell its length. */
export const lightColumns = perResource((resource) => {
  const bytes = 'octet_length(r0.custom_fields)'
  const light = `case when ${bytes} <= ${LIGHT_BYTES} then r0.custom_fields end as custom_fields, ${bytes} as custom_bytes`
  return shownColumns(resource).replace('r0.custom_fields', light)
})

/** The member or live record that a column of `r0` names. Asked for by a value: what is only asked to exist, PostgreSQL may look for in a copy of the whole table. */
function idIfThere(to: ResourceName | 'users', column: string): string {
  return to === 'users'
    ? `(select u.user_id from members u where u.workspace_id = r0.workspace_id and u.user_id = r0.${column})`
    : `(select x.id from ${to} x where x.workspace_id = r0.workspace_id and x.id = r0.${column} and x.deleted_at is null)`
}

const found = perResource((resource) =>
  fixed<RecordRow>(
    `select ${shownColumns(resource)} from ${resource.type} r0 where r0.workspace_id = ? and r0.id = ? and r0.deleted_at is null`,
  ),
)

export async function findRecord(scope: Scope, resource: Resource, id: string): Promise<RecordRow | undefined> {
  const rows = await found(resource)(scope.db, [scope.workspace.id, id])
  return rows[0]
}

export type ForChange = RecordRow & Record<string, string | null>

export function columnsForChange(resource: Resource): string {
  const stored = Object.keys(resource.references).map((column) => `, r0.${column} as stored_${column}`)
  return `${shownColumns(resource)}${stored.join('')}`
}

const foundForChange = perResource((resource) =>
  fixed<ForChange>(
    `select ${columnsForChange(resource)} from ${resource.type} r0
     where r0.workspace_id = ? and r0.id = ? and r0.deleted_at is null`,
  ),
)

/** Likewise inside a transaction, with what the references really hold; others who want to change the record wait. */
export async function findForChange(inside: Scope, resource: Resource, id: string): Promise<StoredRecord | undefined> {
  await lockRows(inside, [{ table: resource.type, ids: [id], mode: 'change' }])
  const [row] = await foundForChange(resource)(inside.db, [inside.workspace.id, id])
  return row && storedRecord(resource, row)
}

/** Several live records with what their references really hold, in the order of their ids. */
export async function loadStored(scope: Scope, resource: Resource, ids: readonly string[]): Promise<StoredRecord[]> {
  const query = sql<ForChange>`
    select ${sql.raw(columnsForChange(resource))} from ${sql.table(resource.type)} r0
    where r0.workspace_id = ${scope.workspace.id} and r0.id in (${sql.join(ids)}) and r0.deleted_at is null order by r0.id`
  return (await query.execute(scope.db)).rows.map((row) => storedRecord(resource, row))
}

export function storedRecord(resource: Resource, row: ForChange): StoredRecord {
  const stored = Object.keys(resource.references).map((column) => [column, row[`stored_${column}`] ?? null])
  return { ...row, stored: Object.fromEntries(stored) }
}

export async function insertRecords(
  inside: { engine: Engine; db: Db; workspace: { id: string } },
  resource: Resource,
  records: readonly NewRecord[],
): Promise<void> {
  const references = Object.keys(resource.references)
  const rows = records.map((record) => [
    inside.workspace.id,
    record.id,
    record.label,
    record.name_key,
    ...references.map((column) => record.references.get(column) ?? null),
    ...ownColumns.map((column) => record[column]),
  ])
  await inside.engine.insertRows(inside.db, { table: resource.type, columns: columnsOf(resource) }, rows)
}

const columnsOf = perResource((resource): readonly Column[] => {
  const references = Object.keys(resource.references)
  const names = ['workspace_id', 'id', resource.label, 'name_key', ...references, ...ownColumns]
  return names.map((name) => ({ name, type: 'text' }))
})

export function updateRecord(inside: Scope, resource: Resource, id: string, changes: RowParts): Promise<void> {
  return inside.engine.updateRow(inside.db, resource.type, { key: { workspace_id: inside.workspace.id, id }, changes })
}

const marked = perResource((resource) =>
  fixed<{ name: string }>(
    `update ${resource.type} set deleted_at = ?, deleted_by = ? where workspace_id = ? and id = ? and deleted_at is null
     returning ${resource.label} as name`,
  ),
)

/** Marks a live record as deleted by the actor and tells its name; undefined when there was none. */
export async function markDeleted(inside: Scope, resource: Resource, id: string, at: string) {
  const [row] = await marked(resource)(inside.db, [at, inside.actor.user_id, inside.workspace.id, id])
  return row?.name
}

/** Likewise of several live records. */
export async function markAllDeleted(inside: Scope, resource: Resource, ids: readonly string[], at: string) {
  await inside.db.query
    .updateTable(resource.type)
    .set({ deleted_at: at, deleted_by: inside.actor.user_id })
    .where('workspace_id', '=', inside.workspace.id)
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute()
}

/** Makes a thing once for each resource, when it is first asked for. */
export function perResource<T>(make: (resource: Resource) => T): (resource: Resource) => T {
  const made = new Map<string, T>()
  return (resource) => {
    let thing = made.get(resource.type)
    if (thing === undefined) {
      thing = make(resource)
      made.set(resource.type, thing)
    }
    return thing
  }
}
