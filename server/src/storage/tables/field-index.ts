import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import type { Scope } from '../../scope/scope.ts'
import { fixed } from '../engines/fixed.ts'

const removed = fixed('delete from field_values where workspace_id = ? and field_id = ?')

/** Takes all values of a field out of the index. */
export async function removeFieldValues(inside: Scope, fieldId: string): Promise<void> {
  await removed(inside.db, [inside.workspace.id, fieldId])
}

const sharedKeys = fixed<{ count: number }>(sharedBy('match_key'))
const sharedNumbers = fixed<{ count: number }>(sharedBy('number_key'))

/** Two records hold it where the first is not the last: one record may hold a tag in two spellings. */
function sharedBy(key: 'match_key' | 'number_key'): string {
  return `select count(*) as count from (
    select ${key} from field_values where workspace_id = ? and field_id = ? and ${key} is not null
    group by ${key} having min(record_id) < max(record_id)) shared`
}

/** How many values of a field are held by more than one live record. */
export async function countDuplicates(scope: Scope, field: FieldDefinition): Promise<number> {
  const shared = fieldTypes[field.type].valueKey === 'number_key' ? sharedNumbers : sharedKeys
  const [row] = await shared(scope.db, [scope.workspace.id, field.id])
  return row?.count ?? 0
}

const optionRemoved = fixed('delete from field_values where workspace_id = ? and field_id = ? and match_key = ?')

/** Takes an option of a field out of the index. */
export async function removeOptionValues(inside: Scope, fieldId: string, optionId: string): Promise<void> {
  await optionRemoved(inside.db, [inside.workspace.id, fieldId, optionId])
}

const renumbered = fixed(
  'update field_values set number_key = ? where workspace_id = ? and field_id = ? and match_key = ?',
)

/** Gives the records that hold an option of a single choice the place by which they sort. */
export async function replaceOptionPlace(
  inside: Scope,
  fieldId: string,
  option: { id: string; place: number },
): Promise<void> {
  await renumbered(inside.db, [option.place, inside.workspace.id, fieldId, option.id])
}

const holderCounts = fixed<{ field_id: string; records: number }>(
  'select field_id, count(distinct record_id) as records from field_values where workspace_id = ? group by field_id',
)

/** How many live records hold a value of each field. Reads the whole index of the workspace: for small ones. */
export async function loadHolderCounts(scope: Scope): Promise<Map<string, number>> {
  const rows = await holderCounts(scope.db, [scope.workspace.id])
  return new Map(rows.map(({ field_id, records }) => [field_id, records]))
}

const holderCount = fixed<{ records: number }>(
  'select count(distinct record_id) as records from field_values where workspace_id = ? and field_id = ?',
)

export async function countHolders(scope: Scope, fieldId: string): Promise<number> {
  const [row] = await holderCount(scope.db, [scope.workspace.id, fieldId])
  return row?.records ?? 0
}
