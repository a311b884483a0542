import type { ManagedField, UpdatedFieldAnswer } from '@kith/contract/app/fields'
import { excerpt } from '@kith/contract/excerpt'
import { parseId } from '@kith/contract/id'
import { refuse } from '@kith/contract/refusal'
import { requireAbilities } from '../records/allow.ts'
import { readInput } from '../scope/read-input.ts'
import { parseResourceName } from '../scope/resource-name.ts'
import { inSnapshot, type Scope } from '../scope/scope.ts'
import { loadLiveCounts } from '../storage/tables/counts.ts'
import { findAllFields, type StoredField } from '../storage/tables/custom-fields.ts'
import { countDuplicates, countHolders, loadHolderCounts } from '../storage/tables/field-values.ts'
import type { FieldAddress } from './find-field.ts'
import { listFields } from './list.ts'
import { presentField } from './present.ts'
import { updateField } from './update.ts'

/** In larger workspaces the list does not count values. */
const COUNTED_MAX = 50_000

/** All fields with how much they are used. */
export async function listManagedFields(scope: Scope, input: unknown): Promise<ManagedField[]> {
  const entity_type = readInput(input, (fields) => {
    const sent = fields.optionalText('entity_type')
    return sent === undefined ? undefined : parseResourceName(sent, fields.report, 'entity_type')
  })
  return inSnapshot(scope, async (inside) => {
    const fields = await listFields(inside, entity_type)
    const live = Object.values(await loadLiveCounts(inside)).reduce((sum, count) => sum + count, 0)
    const counts = live <= COUNTED_MAX ? await loadHolderCounts(inside) : undefined
    return fields.map((field) => presentManaged(field, counts && (counts.get(field.id) ?? 0)))
  })
}

export async function changeManagedField(scope: Scope, id: string, input: unknown): Promise<UpdatedFieldAnswer> {
  const { field, duplicates } = await updateField(scope, await addressOf(scope, id), input)
  return { ...presentManaged(field, await countHolders(scope, field.id)), duplicates }
}

export function presentManaged(field: StoredField, values?: number): ManagedField {
  const { id, system, archived_at } = field
  return { id, ...presentField(field), system, archived_at, values: values ?? null }
}

/** How many records hold a value of the field. */
export async function countFieldValues(scope: Scope, id: string): Promise<number> {
  return countHolders(scope, (await requireField(scope, id)).id)
}

/** How many values are held by more than one record, and so prevent a unique field. */
export async function countFieldDuplicates(scope: Scope, id: string): Promise<number> {
  return countDuplicates(scope, await requireField(scope, id))
}

/** The application names fields by id, operations by code. */
export async function addressOf(scope: Scope, id: string): Promise<FieldAddress> {
  const { entity_type, code } = await requireField(scope, id)
  return { entity_type, code }
}

async function requireField(scope: Scope, id: string): Promise<StoredField> {
  requireAbilities(scope, ['read'])
  const fieldId = parseId(id)
  const field = (await findAllFields(scope)).find((candidate) => candidate.id === fieldId)
  if (field) return field
  return refuse({ kind: 'not_found', message: `No custom field with the ID ${excerpt(id)} exists in this workspace.` })
}
