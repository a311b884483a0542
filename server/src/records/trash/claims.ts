import { excerpt } from '@kith/contract/excerpt'
import type { FieldDefinition } from '@kith/contract/field-definition'
import type { Issue } from '@kith/contract/issue'
import { refuseIfAny } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { loadLabels } from '../../storage/query/related.ts'
import { type ExternalClaim, findTakenIds } from '../../storage/tables/external-ids.ts'
import { type Claim, findTaken } from '../../storage/tables/field-values.ts'
import type { DeletedRow } from '../../storage/tables/trash.ts'
import { claimsOf } from '../check-input.ts'
import { holderOf } from '../external-ids/check.ts'
import { valuesIn } from '../stored-values.ts'

/** The unique values that records hold again once they are restored. */
export function claimsOfRows(fields: readonly FieldDefinition[], rows: readonly DeletedRow[]): Claim[] {
  return rows.flatMap((row) => claimsOf(valuesIn(row, fields)))
}

/** Refuses if a record other than these holds one of the values now, and says which one. */
export async function refuseTaken(
  inside: Scope,
  resource: Resource,
  { claims, except }: { claims: readonly Claim[]; except: readonly string[] },
): Promise<void> {
  const taken = await findTaken(inside, claims, except)
  const names = await loadLabels(inside, resource, [...new Set(taken.map((claim) => claim.record_id))])
  const issues: Issue[] = taken.map(({ field, key, record_id }) => {
    const holder = `the ${resource.one} "${names.get(record_id)}" (${record_id})`
    const held = `The ${field.name} value ${String(key).slice(0, 100)} is held by ${holder} now.`
    const message = `${held} Change it there, or delete that record, then restore this one.`
    return { path: `custom_fields.${field.code}`, message }
  })
  refuseIfAny(issues)
}

/** The same for external ids. */
export async function refuseTakenIds(
  inside: Scope,
  resource: Resource,
  { claims, except }: { claims: readonly ExternalClaim[]; except: readonly string[] },
): Promise<void> {
  const taken = await findTakenIds(inside, resource, { claims, except })
  const issues: Issue[] = taken.map((one) => {
    const held = `The ${one.namespace} id ${excerpt(one.external_id)} is held by ${holderOf(resource, one)} now.`
    const message = `${held} Change it there, or delete that record, then restore this one.`
    return { path: `external_ids.${one.namespace}`, message }
  })
  refuseIfAny(issues)
}
