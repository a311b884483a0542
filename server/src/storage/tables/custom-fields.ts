import type { FieldDefinition } from '@kith/contract/field-definition'
import type { ResourceName } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { fixed } from '../engines/fixed.ts'
import type { Column } from '../engines/stored-table.ts'
import type { CustomFieldsTable } from './tables.ts'

/** A field that is not deleted; an archived one keeps its values out of sight. */
export type StoredField = FieldDefinition & { archived_at: string | null }

type NoField = { [column in keyof CustomFieldsTable]: null }

const active = fixed<{ fields_version: number } & (CustomFieldsTable | NoField)>(
  `select w.fields_version, f.* from workspaces w
   left join custom_fields f on f.workspace_id = w.id and f.archived_at is null and f.deleted_at is null
   where w.id = ? order by f.position, f.id`,
)

/** The active fields of the workspace in their order and the version at which they stand, read in one statement so that they agree. */
export async function loadActiveFields(
  scope: Scope,
): Promise<{ version: number | undefined; fields: FieldDefinition[] }> {
  const rows = await active(scope.db, [scope.workspace.id])
  const fields = rows.flatMap((row) => (row.id === null ? [] : [definitionOf(row)]))
  return { version: rows[0]?.fields_version, fields }
}

/** The fields of a resource that are not deleted, archived ones among them, in their order. */
export async function findFields(scope: Scope, resource: ResourceName): Promise<StoredField[]> {
  const rows = await fieldsOf(scope).where('entity_type', '=', resource).execute()
  return rows.map(fieldOf)
}

/** Likewise of all resources. */
export async function findAllFields(scope: Scope): Promise<StoredField[]> {
  const rows = await fieldsOf(scope).execute()
  return rows.map(fieldOf)
}

function fieldsOf(scope: Scope) {
  return scope.db.query
    .selectFrom('custom_fields')
    .selectAll()
    .where('workspace_id', '=', scope.workspace.id)
    .where('deleted_at', 'is', null)
    .orderBy('position')
    .orderBy('id')
}

/** How many deleted fields of the resource had this code. */
export async function countDeletedOfCode(scope: Scope, resource: ResourceName, code: string): Promise<number> {
  const row = await scope.db.query
    .selectFrom('custom_fields')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', scope.workspace.id)
    .where('entity_type', '=', resource)
    .where('code', '=', code)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst()
  return row?.count ?? 0
}

export type FieldRow = Omit<StoredField, 'archived_at'> & { name_key: string }

const texts = ['id', 'workspace_id', 'entity_type', 'code', 'key', 'name', 'name_key', 'type', 'description']
const numbers = ['required', 'unique', 'multiple', 'max_values', 'position', 'system']
const columns: readonly Column[] = [
  ...texts.map((name): Column => ({ name, type: 'text' })),
  ...numbers.map((name): Column => ({ name, type: 'number' })),
  ...['settings', 'options', 'created_at', 'updated_at'].map((name): Column => ({ name, type: 'text' })),
]

/** Inserts any number of fields with one statement. */
export function insertFields(inside: Scope, fields: readonly FieldRow[]): Promise<void> {
  const rows = fields.map((field) => [
    ...[field.id, inside.workspace.id, field.entity_type, field.code, field.key, field.name, field.name_key],
    ...[field.type, field.description, Number(field.required), Number(field.unique), Number(field.multiple)],
    ...[field.max_values, field.position, Number(field.system)],
    ...[JSON.stringify(field.settings), JSON.stringify(field.options), field.created_at, field.updated_at],
  ])
  return inside.engine.insertRows(inside.db, 'custom_fields', columns, rows)
}

/** Writes all of a field that can change. */
export async function replaceField(inside: Scope, field: StoredField & { name_key: string }): Promise<void> {
  await inside.db.query
    .updateTable('custom_fields')
    .set({
      name: field.name,
      name_key: field.name_key,
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
    })
    .where('workspace_id', '=', inside.workspace.id)
    .where('id', '=', field.id)
    .execute()
}

const marked = fixed('update custom_fields set deleted_at = ? where workspace_id = ? and id = ?')

/** Marks a field as deleted. Its row stays, so that nothing ever reads its values under a new field of that code. */
export async function markFieldDeleted(inside: Scope, fieldId: string, at: string): Promise<void> {
  await marked(inside.db, [at, inside.workspace.id, fieldId])
}

const shifted = fixed(
  `update custom_fields set position = position + ?
   where workspace_id = ? and entity_type = ? and position >= ? and position <= ? and archived_at is null and deleted_at is null`,
)

export type Shift = { from: number; to: number; by: 1 | -1 }

/** Moves the active fields between two positions, both included, one place up or down. */
export async function shiftFields(inside: Scope, resource: ResourceName, { from, to, by }: Shift): Promise<void> {
  if (from > to) return
  await shifted(inside.db, [by, inside.workspace.id, resource, from, to])
}

/** Numbers the fields in the order of these ids, with one statement. */
export async function replacePositions(inside: Scope, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const cases = ids.map(() => 'when ? then cast(? as integer)').join(' ')
  const places = ids.map(() => '?').join(', ')
  const replaced = fixed(
    `update custom_fields set position = case id ${cases} end where workspace_id = ? and id in (${places})`,
  )
  await replaced(inside.db, [...ids.flatMap((id, index) => [id, index + 1]), inside.workspace.id, ...ids])
}

const versionMoved = fixed('update workspaces set fields_version = fields_version + 1 where id = ?')

/** Makes every node load the definitions anew once the transaction is through; until then, other changes of this workspace's fields wait. */
export async function moveFieldsVersion(inside: Scope): Promise<void> {
  await versionMoved(inside.db, [inside.workspace.id])
}

function fieldOf(row: CustomFieldsTable): StoredField {
  return { ...definitionOf(row), archived_at: row.archived_at }
}

function definitionOf(row: CustomFieldsTable): FieldDefinition {
  return {
    id: row.id,
    key: row.key,
    // Both are checked against the contract's names before they are written, and never change.
    entity_type: row.entity_type as ResourceName,
    code: row.code,
    name: row.name,
    type: row.type as FieldDefinition['type'],
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
