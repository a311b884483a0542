import type { FieldDefinition, FieldOption } from '@kith/contract/field-definition'
import { fold } from '@kith/contract/fold'
import type { ResourceName } from '@kith/contract/resource'
import type { Db, Origin, RecordTenant, Tenant } from '../engines/engine.ts'
import { sql } from '../engines/sql.ts'
import { columnsOf } from '../engines/stored-table.ts'

/** A field that is not deleted. The values of an archived field stay stored but hidden. */
export type StoredField = FieldDefinition & { archived_at: string | null }

/** The pending work on the records after a change of a field, in steps. It is stored nowhere else. */
export type UnsettledWork = {
  /** Options that records may still hold, who removed them, and the change that did. */
  removed: readonly (FieldOption & { by: Origin; cause?: string })[]
  /** Where the scan over the records of the resource continues, if one is needed. */
  after?: string
  /** Whether the scan indexes their words. */
  words?: boolean
  /** When the last step was done. */
  at: string
}

type Flag = 'required' | 'unique' | 'multiple' | 'system'
type Json = 'settings' | 'options'

/** The columns of a field. Flags are 0 or 1. */
type FieldColumns = Omit<StoredField, Flag | Json | 'leaving'> &
  Record<Flag, number> &
  Record<Json, string> & { unsettled: string | null; deleted_at: string | null }

/** The fields of the workspace in their order, and their version. One statement, so that both agree. */
export async function loadFields(
  scope: Tenant,
): Promise<{ version: number | undefined; fields: (FieldDefinition & Pick<StoredField, 'archived_at'>)[] }> {
  const rows = await sql<{ fields_version: number } & (FieldColumns | { [column in keyof FieldColumns]: null })>`
    select w.fields_version, f.* from workspaces w
    left join custom_fields f on f.workspace_id = w.id and f.deleted_at is null
    where w.id = ${scope.workspace.id} order by f.position, f.id`.all(scope.db)
  const fields = rows.flatMap((row) => (row.id === null ? [] : [fieldOf(row)]))
  return { version: rows[0]?.fields_version, fields }
}

/** The fields of a resource that are not deleted, including archived ones, in their order. */
export async function findFields(scope: Tenant, resource: ResourceName): Promise<StoredField[]> {
  const fields = await findAllFields(scope)
  return fields.filter((field) => field.entity_type === resource)
}

/** The fields of all resources that are not deleted, including archived ones, in their order. */
export async function findAllFields(scope: Tenant): Promise<StoredField[]> {
  const rows = await sql<FieldColumns>`select * from custom_fields
    where workspace_id = ${scope.workspace.id} and deleted_at is null order by position, id`.all(scope.db)
  return rows.map(fieldOf)
}

/** How many deleted fields of the resource had this code. */
export function countDeletedOfCode(scope: Tenant, resource: ResourceName, code: string): Promise<number> {
  return sql`select count(*) as n from custom_fields
    where workspace_id = ${scope.workspace.id} and entity_type = ${resource} and code = ${code}
    and deleted_at is not null`.count(scope.db)
}

/** The columns of a field that can change. */
function changesOf(field: Omit<FieldDefinition, 'number'>) {
  return {
    name: field.name,
    name_key: fold(field.name),
    description: field.description,
    position: field.position,
    required: Number(field.required),
    unique: Number(field.unique),
    multiple: Number(field.multiple),
    max_values: field.max_values,
    updated_at: field.updated_at,
    settings: JSON.stringify(field.settings),
    options: JSON.stringify(field.options),
  }
}

const texts = [
  'workspace_id',
  'id',
  'entity_type',
  'code',
  'key',
  'type',
  'created_at',
  'name',
  'name_key',
  'description',
  'updated_at',
  'settings',
  'options',
] as const
const numbers = ['number', 'system', 'position', 'required', 'unique', 'multiple', 'max_values'] as const
const names = [...texts, ...numbers]
const into = { table: 'custom_fields', columns: columnsOf(names, numbers) }

/*
 * Each of the following is one change of the definitions, and the only one in its transaction: it adds one to the
 * version. A change that writes nothing adds nothing.
 */

/** Inserts any number of new fields with one statement, and returns them with their numbers. */
export async function insertFields(
  inside: Tenant,
  fields: readonly Omit<FieldDefinition, 'number'>[],
): Promise<FieldDefinition[]> {
  const taken = await inside.engine.takeNumbers(inside.db, 'custom_fields', fields.length)
  const numbered = fields.map((field, index) => ({ ...field, number: taken[index] ?? 0 }))
  const rows = numbered.map((field) => {
    const row = { ...field, ...changesOf(field), workspace_id: inside.workspace.id, system: Number(field.system) }
    return names.map((name) => row[name])
  })
  await inside.engine.insertRows(inside.db, into, rows)
  await raiseFieldsVersion(inside)
  return numbered
}

/** Writes all columns of a field that can change. */
export async function replaceField(inside: Tenant, field: StoredField): Promise<void> {
  await sql`update custom_fields set ${sql.set({ ...changesOf(field), archived_at: field.archived_at })}
    where workspace_id = ${inside.workspace.id} and id = ${field.id}`.run(inside.db)
  await raiseFieldsVersion(inside)
}

/** Marks a field as deleted. Its row stays, so that a new field with the same code never gets its values. */
export async function markFieldDeleted(inside: Tenant, fieldId: string, at: string): Promise<void> {
  await sql`update custom_fields set deleted_at = ${at}
    where workspace_id = ${inside.workspace.id} and id = ${fieldId}`.run(inside.db)
  await raiseFieldsVersion(inside)
}

export type Shift = { from: number; to: number; by: 1 | -1; at: string }

/** Moves the active fields between two positions, both included, one place up or down. Returns them as they are now. */
export async function shiftFields(inside: Tenant, resource: ResourceName, shift: Shift): Promise<StoredField[]> {
  const { from, to, by, at } = shift
  if (from > to) return []
  const rows = await sql<FieldColumns>`update custom_fields set position = position + ${by}, updated_at = ${at}
    where workspace_id = ${inside.workspace.id} and entity_type = ${resource}
    and position >= ${from} and position <= ${to} and archived_at is null and deleted_at is null
    returning *`.all(inside.db)
  return rows.map(fieldOf).sort((one, other) => one.position - other.position)
}

/** Numbers the fields in the order of these ids, with one statement. Those that move get a new time. */
export async function replacePositions(inside: Tenant, ids: readonly string[], at: string): Promise<void> {
  if (ids.length === 0) return
  const cases = ids.map((id, index) => sql`when ${id} then cast(${index + 1} as integer)`)
  const place = sql`case id ${sql.join(cases, sql` `)} end`
  await sql`update custom_fields set position = ${place}, updated_at = ${at}
    where workspace_id = ${inside.workspace.id} and id in (${sql.join(ids)}) and position <> ${place}`.run(inside.db)
  await raiseFieldsVersion(inside)
}

/** The fields of the workspace that are not settled, by id. */
export function findUnsettled(scope: Tenant): Promise<string[]> {
  return sql<string>`select id from custom_fields
    where workspace_id = ${scope.workspace.id} and unsettled is not null order by id`.column(scope.db)
}

/** A field that is not settled, active, archived or deleted. */
export async function loadUnsettled(
  inside: Tenant,
  fieldId: string,
): Promise<{ field: StoredField; unsettled: UnsettledWork; deletedAt: string | null } | undefined> {
  const row = await sql<FieldColumns>`select * from custom_fields
    where workspace_id = ${inside.workspace.id} and id = ${fieldId}`.one(inside.db)
  const unsettled = row && unsettledIn(row)
  return unsettled && { field: fieldOf(row), unsettled, deletedAt: row.deleted_at }
}

export async function replaceUnsettled(
  inside: Tenant,
  fieldId: string,
  unsettled: UnsettledWork | null,
): Promise<void> {
  await sql`update custom_fields set unsettled = ${unsettled && JSON.stringify(unsettled)}
    where workspace_id = ${inside.workspace.id} and id = ${fieldId}`.run(inside.db)
}

/** The workspaces in which a field is not settled and no process has worked on it since a time. */
export async function findAbandoned(db: Db, before: string): Promise<RecordTenant['workspace'][]> {
  const rows = await sql<RecordTenant['workspace'] & { unsettled: string }>`select w.id, w.number, f.unsettled
    from custom_fields f join workspaces w on w.id = f.workspace_id where f.unsettled is not null
    order by f.workspace_id, f.id`.all(db)
  const abandoned = rows.filter((row) => (unsettledIn(row)?.at ?? '') <= before)
  return [...new Map(abandoned.map(({ id, number }) => [id, { id, number }])).values()]
}

/** Only replaceUnsettled writes it. */
function unsettledIn({ unsettled }: { unsettled: string | null }): UnsettledWork | undefined {
  return unsettled === null ? undefined : JSON.parse(unsettled)
}

/** Makes every node reload the definitions after the commit. */
export async function raiseFieldsVersion(inside: Tenant): Promise<void> {
  await sql`update workspaces set fields_version = fields_version + 1 where id = ${inside.workspace.id}`.run(inside.db)
}

function fieldOf(row: FieldColumns): StoredField {
  return { ...definitionOf(row), archived_at: row.archived_at }
}

function definitionOf(row: FieldColumns): FieldDefinition {
  const leaving = unsettledIn(row)?.removed.map(({ id, label, color }) => ({ id, label, color }))
  return {
    id: row.id,
    number: row.number,
    key: row.key,
    entity_type: row.entity_type,
    code: row.code,
    name: row.name,
    type: row.type,
    description: row.description,
    required: row.required === 1,
    unique: row.unique === 1,
    multiple: row.multiple === 1,
    max_values: row.max_values,
    position: row.position,
    system: row.system === 1,
    settings: JSON.parse(row.settings),
    options: JSON.parse(row.options),
    ...(leaving ? { leaving } : {}),
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
