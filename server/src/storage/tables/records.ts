import { stampColumns, type stamps } from '@kith/contract/declare'
import { duplicateKey } from '@kith/contract/duplicate-key'
import { boundedKey, fold } from '@kith/contract/fold'
import type { RelatedType, Resource } from '@kith/contract/resource'
import type { Scope, Writing } from '../../scope/scope.ts'
import { type Sql, sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'
import { lockRows } from './lock-rows.ts'

/** A record as it is shown: references to deleted records and former members are null. */
export type RecordRow = Own & { id: string } & { [column in 'name' | 'title']?: string } & {
  [column in ReferenceColumn]?: string | null
}

/** The columns that all record tables have and that hold what their names say. */
type Own = { creator_id: string | null; custom_fields: string } & { [column in keyof typeof stamps]: string }

const ownColumns: readonly (keyof Own)[] = ['creator_id', ...stampColumns, 'custom_fields']

type ReferenceColumn = 'account_owner_id' | 'company_id' | 'contact_id'

/**
 * A row of a list. The custom fields of a large record are left out: `records/complete-rows.ts` loads them in parts.
 */
export type LightRow = Omit<RecordRow, 'custom_fields'> & { custom_fields: string | null; custom_bytes: number }

/** With the version of the workspace's field definitions at the moment at which the row was read. */
export type WithFields<Row> = Row & { fields_version: number }

/** A record with its stored references, to be changed. */
export type StoredRecord = RecordRow & { stored: Readonly<Record<string, string | null>> }

/** The columns of a `RecordRow`, for the table alias `r0`. */
export function shownColumns(resource: Resource): string {
  return columnsWith(resource, (to, column) => `${idIfThere(to, column)} as ${column}`)
}

function columnsWith(resource: Resource, shown: (to: RelatedType, column: string) => string): string {
  const references = Object.entries(resource.references).map(([column, { to }]) => shown(to, column))
  return ['r0.id', `r0.${resource.label}`, ...references, ...ownColumns.map((column) => `r0.${column}`)].join(', ')
}

/** Custom fields up to this size are read together with their row. */
const LIGHT_BYTES = 16 * 1024

/** The columns of a `LightRow`. Neither database reads a large text only to tell its length. */
export const lightColumns = perResource((resource) => lightened(shownColumns(resource)))

/** The columns of a list: those of a `LightRow` and the version of the fields. */
export function listedColumns(scope: Scope, resource: Resource): Sql<unknown> {
  return sql`${sql.raw(lightColumns(resource))}, ${fieldsVersionColumn(scope)}`
}

/** The same for the sync form, in which members who have left are still referred to. */
export const syncColumns = perResource((resource) =>
  lightened(
    columnsWith(resource, (to, column) => (to === 'users' ? `r0.${column}` : `${idIfThere(to, column)} as ${column}`)),
  ),
)

function lightened(columns: string): string {
  const bytes = 'octet_length(r0.custom_fields)'
  const light = `case when ${bytes} <= ${LIGHT_BYTES} then r0.custom_fields end as custom_fields, ${bytes} as custom_bytes`
  return columns.replace('r0.custom_fields', light)
}

/**
 * The member or live record that a column of `r0` refers to. A subselect of the value: PostgreSQL may answer `exists`
 * with a hash of the whole table.
 */
function idIfThere(to: RelatedType, column: string): string {
  const [table, id, live] = to === 'users' ? ['members', 'user_id', ''] : [to, 'id', 'and x.deleted_at is null']
  return `(select x.${id} from ${table} x where x.workspace_id = r0.workspace_id and x.${id} = r0.${column} ${live})`
}

/** The version of the field definitions as a column, so that it is read at the same moment as the rows. */
function fieldsVersionColumn({ workspace }: { workspace: { id: string } }): Sql<unknown> {
  return sql`(select w.fields_version from workspaces w where w.id = ${workspace.id}) as fields_version`
}

const shown = perResource((resource) => sql.raw(shownColumns(resource)))

export function findRecord(scope: Scope, resource: Resource, id: string): Promise<WithFields<RecordRow> | undefined> {
  return sql<WithFields<RecordRow>>`select ${shown(resource)}, ${fieldsVersionColumn(scope)}
    from ${sql.table(resource.type)} r0
    where r0.workspace_id = ${scope.workspace.id} and r0.id = ${id} and r0.deleted_at is null`.one(scope.db)
}

export type ForChange = RecordRow & Record<string, string | null>

export const columnsForChange = perResource((resource): Sql<unknown> => {
  const stored = Object.keys(resource.references).map((column) => `, r0.${column} as stored_${column}`)
  return sql.raw(`${shownColumns(resource)}${stored.join('')}`)
})

/** Live records with their stored references, locked: other transactions wait before they change them. */
export async function findForChange(
  inside: Scope,
  resource: Resource,
  ids: readonly string[],
): Promise<Map<string, StoredRecord>> {
  await lockRows(inside, [{ table: resource.type, ids, mode: 'change' }])
  return new Map((await loadStored(inside, resource, ids)).map((row) => [row.id, row]))
}

/** Several live records with their stored references, in the order of their ids. */
export async function loadStored(scope: Scope, resource: Resource, ids: readonly string[]): Promise<StoredRecord[]> {
  const rows = await sql<ForChange>`select ${columnsForChange(resource)} from ${sql.table(resource.type)} r0
    where r0.workspace_id = ${scope.workspace.id} and r0.id ${sql.among(ids)} and r0.deleted_at is null
    order by r0.id`.all(scope.db)
  return rows.map((row) => storedRecord(resource, row))
}

export function storedRecord(resource: Resource, row: ForChange): StoredRecord {
  const stored = Object.keys(resource.references).map((column) => [column, row[`stored_${column}`] ?? null])
  return { ...row, stored: Object.fromEntries(stored) }
}

export async function insertRecords(inside: Writing, resource: Resource, records: readonly RecordRow[]): Promise<void> {
  const { into, shown } = insertOf(resource)
  const rows = records.map((record) => [
    inside.workspace.id,
    ...Object.values(keysOfName(resource, record[resource.label] ?? '')),
    ...shown.map((column) => record[column] ?? null),
  ])
  await inside.engine.insertRows(inside.db, into, rows)
}

const insertOf = perResource((resource) => {
  // The registry's references are columns of the row.
  const references = Object.keys(resource.references) as ReferenceColumn[]
  const shown: readonly (keyof RecordRow)[] = ['id', resource.label, ...references, ...ownColumns]
  return {
    into: { table: resource.type, columns: columnsOf(['workspace_id', 'name_key', 'duplicate_key', ...shown]) },
    shown,
  }
})

/**
 * The folded name by which records sort and are found, and the key by which likely duplicates are found. Titles are
 * often the same and have none.
 */
export function keysOfName({ label }: Resource, text: string): { name_key: string; duplicate_key: string } {
  return { name_key: boundedKey(fold(text)), duplicate_key: label === 'name' ? duplicateKey(text) : '' }
}

/** New values of a record's columns. */
export type RowChanges = Readonly<Record<string, string | null>>

/** Updates records. Those that change in the same columns share a statement. */
export async function updateRecords(
  inside: Scope,
  resource: Resource,
  changed: readonly { id: string; changes: RowChanges }[],
): Promise<void> {
  const rows = changed.map(({ id, changes }) => {
    const label = changes[resource.label]
    return { id, changes: { ...changes, ...(typeof label === 'string' ? keysOfName(resource, label) : {}) } }
  })
  for (const some of Map.groupBy(rows, ({ changes }) => Object.keys(changes).join(' ')).values()) {
    const columns = Object.keys(some[0]?.changes ?? {})
    const into = { table: resource.type, columns, workspaceId: inside.workspace.id }
    const values = some.map(({ id, changes }: { id: string; changes: RowChanges }) => [
      id,
      ...columns.map((name) => changes[name] ?? null),
    ])
    await inside.engine.updateRows(inside.db, into, values)
  }
}

/** Marks live records as deleted by the actor. Returns those that were live. */
export function markDeleted(
  inside: Scope,
  { type, label }: Resource,
  { ids, at }: { ids: readonly string[]; at: string },
): Promise<{ id: string; name: string }[]> {
  return sql<{ id: string; name: string }>`
    update ${sql.table(type)} set deleted_at = ${at}, deleted_by = ${inside.actor.user_id}
    where workspace_id = ${inside.workspace.id} and id ${sql.among(ids)} and deleted_at is null
    returning id, ${sql.ref(label)} as name`.all(inside.db)
}

/** Caches the result of a function for each resource. */
function perResource<T>(make: (resource: Resource) => T): (resource: Resource) => T {
  const made = new Map<string, T>()
  return (resource) => made.getOrInsertComputed(resource.type, () => make(resource))
}
