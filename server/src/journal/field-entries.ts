import { isDeepStrictEqual } from 'node:util'
import type { StoredKind } from '@kith/contract/changes/change-kind'
import type { FieldDefinition } from '@kith/contract/field-definition'
import type { Scope, Tenancy } from '../scope/scope.ts'
import type { StoredField } from '../storage/tables/custom-fields.ts'
import { type AuditAction, type Change, type FeedChange, noteWrite } from './write.ts'

const keys = ['name', 'description', 'required', 'unique', 'multiple', 'max_values', 'position', 'settings'] as const

/** A change of a field, and the other fields that it moved to another position. */
type ChangedField = { field: StoredField; before?: StoredField; moved?: readonly StoredField[] }

/**
 * Records a change of a custom field, with the state before and after. The feed also shows the fields that it moved.
 * Returns the id of the change.
 */
export async function auditField(inside: Scope, action: AuditAction, changed: ChangedField): Promise<string> {
  const { field, before, moved = [] } = changed
  const changes: Change[] = [['entity_type', null, field.entity_type]]
  if (action === 'create') changes.push(['code', null, field.code], ['type', null, field.type])
  const differing = before ? differences(before, field) : []
  const entry = { action, resource: 'custom_fields', record_id: field.id, name: field.name } as const
  const change = feedChange(action, field, differing)
  const [id = ''] = await noteWrite(inside, [
    { ...entry, changes: [...changes, ...differing], change },
    ...moved.map((other) => ({ ...entryOf(other), change: movedChange(other), audited: false })),
  ])
  return id
}

/** For the feed, archiving is a deletion. A later deletion of an archived field is not shown. */
const kinds: Readonly<Partial<Record<AuditAction, StoredKind>>> = {
  create: 'created',
  update: 'updated',
  archive: 'deleted',
  restore: 'restored',
}

function feedChange(action: AuditAction, field: StoredField, changes: readonly Change[]): FeedChange | undefined {
  const kind = kinds[action]
  if (kind === undefined) return undefined
  const at = field.updated_at
  return kind === 'updated' ? { kind, at, changed: changes.map(([name]) => name) } : { kind, at }
}

/** Records the default fields of a workspace. */
export async function noteStartingFields(inside: Tenancy, fields: readonly FieldDefinition[]): Promise<void> {
  const entry = { action: 'create', resource: 'custom_fields', audited: false } as const
  await noteWrite(
    inside,
    fields.map(({ id, created_at }) => ({ ...entry, record_id: id, change: { kind: 'created', at: created_at } })),
  )
}

/** Records each field whose position changed. */
export async function auditOrder(
  inside: Scope,
  before: readonly StoredField[],
  after: readonly StoredField[],
): Promise<void> {
  const places = new Map(before.map((field) => [field.id, field.position]))
  const moved = after.filter((field) => places.get(field.id) !== field.position)
  await noteWrite(
    inside,
    moved.map((field) => ({
      ...entryOf(field),
      changes: [
        ['entity_type', null, field.entity_type] as const,
        ['position', places.get(field.id), field.position] as const,
      ],
      change: movedChange(field),
    })),
  )
}

function entryOf({ id, name }: StoredField) {
  return { action: 'update', resource: 'custom_fields', record_id: id, name } as const
}

function movedChange({ updated_at }: StoredField): FeedChange {
  return { kind: 'updated', at: updated_at, changed: ['position'] }
}

function differences(before: StoredField, after: StoredField): Change[] {
  const changes = keys
    .filter((key) => !isDeepStrictEqual(before[key], after[key]))
    .map((key): Change => [key, before[key], after[key]])
  const [was, is] = [before, after].map(({ options }) => options.map((option) => option.label))
  if (!isDeepStrictEqual(before.options, after.options)) changes.push(['options', was, is])
  return changes
}
