import { excerpt } from '@kith/contract/excerpt'
import type { ExternalIds, ExternalIdsInput } from '@kith/contract/external-ids'
import type { Report } from '@kith/contract/issue'
import { EXTERNAL_IDS_MAX, EXTERNAL_NAMESPACES_MAX } from '@kith/contract/limits'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type ExternalClaim, findTakenIds, type TakenId } from '../../storage/tables/external-ids.ts'
import type { ExternalIdsChange } from './changes.ts'

/** The ids that an input claims. */
export function claimedIds(sent: ExternalIdsInput | undefined): ExternalClaim[] {
  return [...(sent ?? [])].flatMap(([namespace, ids]) => ids.map(({ id }) => ({ namespace, external_id: id })))
}

type Checking = {
  change: ExternalIdsChange | undefined
  sent: ExternalIdsInput | undefined
  /** Records whose ids are not taken: those that become one. */
  except?: readonly string[]
}

/** Reports more ids than a record may have, and ids that another live record holds. */
export async function checkExternalIds(
  inside: Scope,
  resource: Resource,
  { change, sent, except, report }: Checking & { report: Report },
): Promise<void> {
  if (!change || isTooMuch(change, report)) return
  for (const taken of await findTakenIds(inside, resource, { claims: change.added, except })) {
    const path = pathOf(taken, sent)
    report(path, `The ${path} is already taken: ${holderOf(resource, taken)} has the id ${excerpt(taken.external_id)}.`)
  }
}

/** "the company "Acme" (01j…)" */
export function holderOf({ one }: Resource, { holder }: TakenId): string {
  return `the ${one} "${excerpt(holder.label)}" (${holder.id})`
}

/** A record may have more since a merge. Then it can be sent back, and be given fewer. */
function isTooMuch({ before, after }: ExternalIdsChange, report: Report): boolean {
  const [namespacesBefore, idsBefore] = sizesOf(before)
  const [namespaces, ids] = sizesOf(after)
  const tooManyNamespaces = namespaces > Math.max(EXTERNAL_NAMESPACES_MAX, namespacesBefore)
  const tooManyIds = ids > Math.max(EXTERNAL_IDS_MAX, idsBefore)
  const would = 'The external_ids of the record would have'
  if (tooManyNamespaces) {
    report('external_ids', `${would} ${namespaces} namespaces. A record can have ${EXTERNAL_NAMESPACES_MAX}.`)
  }
  if (tooManyIds) report('external_ids', `${would} ${ids} ids. A record can have ${EXTERNAL_IDS_MAX}.`)
  return tooManyNamespaces || tooManyIds
}

function sizesOf(ids: ExternalIds): [namespaces: number, ids: number] {
  const lists = Object.values(ids)
  return [lists.length, lists.reduce((sum, list) => sum + list.length, 0)]
}

function pathOf({ namespace, external_id }: ExternalClaim, sent: ExternalIdsInput | undefined): string {
  const item = sent?.get(namespace)?.find(({ id }) => id === external_id)
  return item?.path ?? `external_ids.${namespace}`
}
