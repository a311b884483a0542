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
  report: Report
}

/**
 * Reports more ids than a record may have, and ids that another live record holds. Returns those records, for each of
 * the checked ones.
 */
export async function checkExternalIds(
  inside: Scope,
  resource: Resource,
  all: readonly Checking[],
): Promise<readonly string[][]> {
  const added = all.map(({ change, report }) => (change && !isTooMuch(change, report) ? change.added : []))
  const taken = await findTakenIds(inside, resource, { claims: added.flat() })
  if (taken.length === 0) return all.map(() => [])
  return all.map(({ sent, report }, index) => {
    const own = new Set(added[index]?.map(nameOf))
    const held = taken.filter((one) => own.has(nameOf(one)))
    for (const one of held) {
      const path = pathOf(one, sent)
      report(path, `The ${path} is already taken: ${holderOf(resource, one)} has the id ${excerpt(one.external_id)}.`)
    }
    return held.map(({ holder }) => holder.id)
  })
}

function nameOf({ namespace, external_id }: ExternalClaim): string {
  return `${namespace} ${external_id}`
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
