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
import { holderOf } from '../external-ids.ts'
import { valuesIn } from '../stored-values.ts'

/** The unique values that records hold again once they are restored. */
export function claimsOfRows(fields: readonly FieldDefinition[], rows: readonly DeletedRow[]): Claim[] {
  return rows.flatMap((row) => claimsOf(valuesIn(row, fields)))
}

type Reclaimed = { claims: readonly Claim[]; externalIds: readonly ExternalClaim[]; except: readonly string[] }

/** Refuses if a record other than these holds one of the values or external ids now, and says which one. */
export async function refuseTaken(
  inside: Scope,
  resource: Resource,
  { claims, externalIds, except }: Reclaimed,
): Promise<void> {
  const taken = await findTaken(inside, claims, except)
  const names = await loadLabels(inside, resource, [...new Set(taken.map((claim) => claim.record_id))])
  const takenIds = await findTakenIds(inside, resource, { claims: externalIds, except })
  refuseIfAny([
    ...taken.map(({ field, key, record_id }) => {
      const holder = `the ${resource.one} "${names.get(record_id)}" (${record_id})`
      return issueOf(`custom_fields.${field.code}`, `${field.name} value ${String(key).slice(0, 100)}`, holder)
    }),
    ...takenIds.map((one) => {
      const { namespace, external_id } = one
      return issueOf(`external_ids.${namespace}`, `${namespace} id ${excerpt(external_id)}`, holderOf(resource, one))
    }),
  ])
}

function issueOf(path: string, what: string, holder: string): Issue {
  const message = `The ${what} is held by ${holder} now. Change it there, or delete that record, then restore this one.`
  return { path, message }
}
