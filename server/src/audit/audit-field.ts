import { isDeepStrictEqual } from 'node:util'
import type { Scope } from '../scope/scope.ts'
import type { StoredField } from '../storage/tables/custom-fields.ts'
import { type AuditAction, type Change, writeAudit } from './write.ts'

const keys = ['name', 'description', 'required', 'unique', 'multiple', 'max_values', 'position', 'settings'] as const

/** Writes an audit entry about a custom field, with the state before and after a change. */
export function auditField(
  inside: Scope,
  action: AuditAction,
  { field, before }: { field: StoredField; before?: StoredField },
): Promise<void> {
  const changes: Change[] = [['entity_type', null, field.entity_type]]
  if (action === 'create') changes.push(['code', null, field.code], ['type', null, field.type])
  if (before) changes.push(...differences(before, field))
  const entry = { action, resource: 'custom_fields', record_id: field.id, name: field.name } as const
  return writeAudit(inside, [{ ...entry, changes }])
}

/** Writes an audit entry for each field whose position changed. */
export function auditOrder(
  inside: Scope,
  before: readonly StoredField[],
  after: readonly StoredField[],
): Promise<void> {
  const places = new Map(before.map((field) => [field.id, field.position]))
  const moved = after.filter((field) => places.get(field.id) !== field.position)
  return writeAudit(
    inside,
    moved.map(({ id, name, entity_type, position }) => ({
      ...({ action: 'update', resource: 'custom_fields', record_id: id, name } as const),
      changes: [['entity_type', null, entity_type] as const, ['position', places.get(id), position] as const],
    })),
  )
}

function differences(before: StoredField, after: StoredField): Change[] {
  const changes = keys
    .filter((key) => !isDeepStrictEqual(before[key], after[key]))
    .map((key): Change => [key, before[key], after[key]])
  const [was, is] = [before, after].map(({ options }) => options.map((option) => option.label))
  if (!isDeepStrictEqual(was, is)) changes.push(['options', was, is])
  return changes
}
