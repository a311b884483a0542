import type { Definitions, FieldDefinition } from '@kith/contract/field-definition'
import type { StoredValue } from '@kith/contract/field-type'
import type { Issue } from '@kith/contract/issue'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { writeAudit } from '../../audit/write.ts'
import type { Scope } from '../../scope/scope.ts'
import { loadLabels } from '../../storage/query/related.ts'
import { addToCounts } from '../../storage/tables/counts.ts'
import { findAllFields } from '../../storage/tables/custom-fields.ts'
import { type Claim, findTaken, insertValues, valueRows } from '../../storage/tables/field-values.ts'
import { type DeletedRow, markReturned } from '../../storage/tables/trash.ts'
import { claimsOf } from '../check-input.ts'
import { momentAfter, searchTexts } from '../effects.ts'
import { parseStored } from '../present.ts'

/** Makes deleted records live again, and puts them back into every index and count. */
export async function returnRecords(inside: Scope, resource: Resource, rows: readonly DeletedRow[]): Promise<void> {
  if (rows.length === 0) return
  const workspaceId = inside.workspace.id
  const latest = rows.reduce((last, row) => (row.updated_at > last ? row.updated_at : last), '')
  const ids = rows.map((row) => row.id)
  // Whoever keeps up with this workspace by the time of the last change must learn that they are back.
  await markReturned(inside, resource, { ids, updated_at: momentAfter(inside, latest) })
  // The values of archived fields belong into the index as well: they come back with their field.
  const fields = (await findAllFields(inside)).filter((field) => field.entity_type === resource.type)
  const records = rows.map((row) => ({ ...row, values: heldIn(row, fields) }))
  await insertValues(
    inside,
    records.flatMap((record) => valueRows(workspaceId, record)),
  )
  const texts = records.flatMap(({ id, label, values }) => searchTexts(resource, { id, label, values }))
  await inside.engine.search.put(inside.db, { workspaceId, table: resource.type }, texts)
  await addToCounts(inside, resource.type, rows.length)
  await writeAudit(
    inside,
    rows.map(({ id, label }) => ({ action: 'restore', resource: resource.type, record_id: id, name: label })),
  )
}

/** The unique values that records would hold again. */
export function claimsOfRows(
  resource: Resource,
  definitions: Definitions,
  rows: readonly { custom_fields: string }[],
): Claim[] {
  const fields = definitions[resource.type].list
  return rows.flatMap((row) => claimsOf(new Map(heldIn(row, fields))))
}

/** Refuses when a record other than these has taken one of the values meanwhile, and says which one. */
export async function refuseTaken(
  inside: Scope,
  resource: Resource,
  { claims, except }: { claims: readonly Claim[]; except: readonly string[] },
): Promise<void> {
  const taken = await findTaken(inside, claims, except)
  const names = await loadLabels(inside, resource, [...new Set(taken.map((claim) => claim.record_id))])
  const issues: Issue[] = taken.map(({ field, key, record_id }) => ({
    path: `custom_fields.${field.code}`,
    message: `The ${field.name} value ${String(key).slice(0, 100)} is held by the ${resource.one} "${names.get(record_id)}" (${record_id}) now. Change it there, or delete that record, then restore this one.`,
  }))
  refuseIfAny(issues)
}

function heldIn(row: { custom_fields: string }, fields: readonly FieldDefinition[]): [FieldDefinition, StoredValue][] {
  const stored = parseStored(row.custom_fields)
  return fields.flatMap((field) => {
    const value = stored[field.key]
    return value === undefined ? [] : [[field, value] as [FieldDefinition, StoredValue]]
  })
}
