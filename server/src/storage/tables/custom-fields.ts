import type { FieldDefinition } from '@kith/contract/field-definition'
import { fold } from '@kith/contract/fold'
import type { ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { sql } from '../engines/sql.ts'
import type { Column } from '../engines/stored-table.ts'

/** A field that is not deleted. The values of an archived field stay stored but hidden. */
export type StoredField = FieldDefinition & { archived_at: string | null }

type Flag = 'required' | 'unique' | 'multiple' | 'system'
type Json = 'settings' | 'options'

/** The columns of a field. Flags are 0 or 1. */
type FieldColumns = Omit<StoredField, Flag | Json> & Record<Flag, number> & Record<Json, string>
type NoField = { [column in keyof FieldColumns]: null }

/** The active fields of the workspace in their order, and their version. One statement, so that both agree. */
export async function loadActiveFields(
  scope: Scope,
): Promise<{ version: number | undefined; fields: FieldDefinition[] }> {
  const rows = await sql<{ fields_version: number } & (FieldColumns | NoField)>`
    select w.fields_version, f.* from workspaces w
    left join custom_fields f on f.workspace_id = w.id and f.archived_at is null and f.deleted_at is null
    where w.id = ${scope.workspace.id} order by f.position, f.id`.all(scope.db)
  const fields = rows.flatMap((row) => (row.id === null ? [] : [definitionOf(row)]))
  return { version: rows[0]?.fields_version, fields }
}

/** The fields of a resource that are not deleted, including archived ones, in their order. */
export async function findFields(scope: Scope, resource: ResourceName): Promise<StoredField[]> {
  const fields = await findAllFields(scope)
  return fields.filter((field) => field.entity_type === resource)
}

/** The fields of all resources that are not deleted, including archived ones, in their order. */
export async function findAllFields(scope: Scope): Promise<StoredField[]> {
  const rows = await sql<FieldColumns>`select * from custom_fields
    where workspace_id = ${scope.workspace.id} and deleted_at is null order by position, id`.all(scope.db)
  return rows.map(fieldOf)
}

/** How many deleted fields of the resource had this code. */
export function countDeletedOfCode(scope: Scope, resource: ResourceName, code: string): Promise<number> {
  return sql`select count(*) as n from custom_fields
    where workspace_id = ${scope.workspace.id} and entity_type = ${resource} and code = ${code}
    and deleted_at is not null`.count(scope.db)
}

const texts = ['id', 'workspace_id', 'entity_type', 'code', 'key', 'name', 'name_key', 'type', 'description']
const numbers = ['required', 'unique', 'multiple', 'max_values', 'position', 'system']
const columns: readonly Column[] = [
  ...texts.map((name): Column => ({ name, type: 'text' })),
  ...numbers.map((name): Column => ({ name, type: 'number' })),
  ...['settings', 'options', 'created_at', 'updated_at'].map((name): Column => ({ name, type: 'text' })),
]

/** Inserts any number of fields with one statement. */
export function insertFields(inside: Scope, fields: readonly FieldDefinition[]): Promise<void> {
  const rows = fields.map((field) => [
    ...[field.id, inside.workspace.id, field.entity_type, field.code, field.key, field.name, fold(field.name)],
    ...[field.type, field.description, Number(field.required), Number(field.unique), Number(field.multiple)],
    ...[field.max_values, field.position, Number(field.system)],
    ...[JSON.stringify(field.settings), JSON.stringify(field.options), field.created_at, field.updated_at],
  ])
  return inside.engine.insertRows(inside.db, { table: 'custom_fields', columns: columns }, rows)
}

/** Writes all columns of a field that can change. */
export async function replaceField(inside: Scope, field: StoredField): Promise<void> {
  const changes = {
    name: field.name,
    name_key: fold(field.name),
    description: field.description,
    required: Number(field.required),
    unique: Number(field.unique),
    multiple: Number(field.multiple),
    max_values: field.max_values,
    position: field.position,
    settings: JSON.stringify(field.settings),
    options: JSON.stringify(field.options),
    archived_at: field.archived_at,
    updated_at: field.updated_at,
  }
  await sql`update custom_fields set ${sql.set(changes)}
    where workspace_id = ${inside.workspace.id} and id = ${field.id}`.run(inside.db)
}

/** Marks a field as deleted. Its row stays, so that a new field with the same code never gets its values. */
export async function markFieldDeleted(inside: Scope, fieldId: string, at: string): Promise<void> {
  await sql`update custom_fields set deleted_at = ${at}
    where workspace_id = ${inside.workspace.id} and id = ${fieldId}`.run(inside.db)
}

export type Shift = { from: number; to: number; by: 1 | -1 }

/** Moves the active fields between two positions, both included, one place up or down. */
export async function shiftFields(inside: Scope, resource: ResourceName, { from, to, by }: Shift): Promise<void> {
  if (from > to) return
  await sql`update custom_fields set position = position + ${by}
    where workspace_id = ${inside.workspace.id} and entity_type = ${resource}
    and position >= ${from} and position <= ${to} and archived_at is null and deleted_at is null`.run(inside.db)
}

/** Numbers the fields in the order of these ids, with one statement. */
export async function replacePositions(inside: Scope, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const cases = ids.map((id, index) => sql`when ${id} then cast(${index + 1} as integer)`)
  await sql`update custom_fields set position = case id ${sql.join(cases, sql` `)} end
    where workspace_id = ${inside.workspace.id} and id in (${sql.join(ids)})`.run(inside.db)
}

/** Makes every node reload the definitions after the commit. Other changes of these fields wait until then. */
export async function moveFieldsVersion(inside: Scope): Promise<void> {
  await sql`update workspaces set fields_version = fields_version + 1 where id = ${inside.workspace.id}`.run(inside.db)
}

function fieldOf(row: FieldColumns): StoredField {
  return { ...definitionOf(row), archived_at: row.archived_at }
}

function definitionOf(row: FieldColumns): FieldDefinition {
  return {
    id: row.id,
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
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
