import type { ManagedField } from '@kith/contract/app/fields'
import { refuse } from '@kith/contract/refusal'
import { auditOrder } from '../audit/audit-field.ts'
import { momentAfter } from '../records/moment-after.ts'
import { readInput } from '../scope/read-input.ts'
import { parseResourceName } from '../scope/resource-name.ts'
import type { Scope } from '../scope/scope.ts'
import { findFields, replacePositions } from '../storage/tables/custom-fields.ts'
import { changeFields } from './change-fields.ts'
import { presentManaged } from './managed.ts'

/** Reorders the active fields of a resource. The request names all of them, each once. */
export function orderFields(scope: Scope, input: unknown): Promise<ManagedField[]> {
  const { entity_type, ids } = readInput(input, (fields) => ({
    entity_type: parseResourceName(fields.text('entity_type'), fields.report, 'entity_type'),
    ids: fields.raw('ids'),
  }))
  return changeFields(scope, 'update', async (inside) => {
    const active = (await findFields(inside, entity_type)).filter((field) => field.archived_at === null)
    if (!isOrderOf(active, ids)) {
      const message = `The ids must name all active fields of the ${entity_type}, each once: ${active.map(({ id }) => id).join(', ')}.`
      refuse({ kind: 'invalid', issues: [{ path: 'ids', message }] })
    }
    if (active.every(({ id }, index) => id === ids[index])) return active.map((field) => presentManaged(field))
    await replacePositions(inside, ids, momentAfter(inside, active))
    const ordered = (await findFields(inside, entity_type)).filter((field) => field.archived_at === null)
    await auditOrder(inside, active, ordered)
    return ordered.map((field) => presentManaged(field))
  })
}

function isOrderOf(active: readonly { id: string }[], ids: unknown): ids is string[] {
  if (!Array.isArray(ids) || ids.length !== active.length) return false
  const named = new Set(ids)
  return named.size === ids.length && active.every(({ id }) => named.has(id))
}
