import { createHash } from 'node:crypto'
import { excerpt } from '@kith/contract/excerpt'
import type { ExternalIds, ExternalIdsInput, SentExternalId } from '@kith/contract/external-ids'
import type { Report } from '@kith/contract/issue'
import { EXTERNAL_IDS_MAX, EXTERNAL_NAMESPACES_MAX } from '@kith/contract/limits'
import type { Resource } from '@kith/contract/resource'
import type { Scope, Tenancy } from '../scope/scope.ts'
import {
  type ExternalClaim,
  type ExternalIdRow,
  findTakenIds,
  inOrder,
  loadExternalIds,
  type TakenId,
} from '../storage/tables/external-ids.ts'

/** The changes of a record's external ids: the rows, and all ids before and after. */
export type ExternalIdsChange = {
  removed: readonly ExternalIdRow[]
  added: readonly ExternalIdRow[]
  before: ExternalIds
  after: ExternalIds
}

/** Undefined if nothing changes. A different order is not a change. */
export function externalIdsChange({
  id,
  held,
  sent,
}: {
  id: string
  held: readonly ExternalIdRow[]
  sent: ExternalIdsInput | undefined
}): ExternalIdsChange | undefined {
  if (sent === undefined) return undefined
  const wanted = new Map([...(sent ?? [])].map(([namespace, ids]) => [namespace, new Set(ids.map((one) => one.id))]))
  const stays = ({ namespace, external_id }: ExternalIdRow) =>
    sent !== null && (wanted.get(namespace)?.has(external_id) ?? true)
  const kept = held.filter(stays)
  const removed = held.filter((row) => !stays(row))
  const own = Map.groupBy(held, (row) => row.namespace)
  const added = [...wanted].flatMap(([namespace, ids]) => {
    const known = own.get(namespace) ?? []
    const fresh = ids.difference(new Set(known.map((row) => row.external_id)))
    const next = (known.at(-1)?.position ?? 0) + 1
    return [...fresh].map((external_id, index): ExternalIdRow => {
      return { record_id: id, namespace, external_id, position: next + index }
    })
  })
  if (removed.length === 0 && added.length === 0) return undefined
  return { removed, added, before: byNamespace(held), after: byNamespace([...kept, ...added].toSorted(inOrder)) }
}

/** The ids that an input claims. */
export function claimedIds(sent: ExternalIdsInput | undefined): ExternalClaim[] {
  return [...(sent ?? [])].flatMap(([namespace, ids]) => ids.map(({ id }) => ({ namespace, external_id: id })))
}

/**
 * Reports more ids than a record may have, and ids that another live record holds. Returns those records, for each
 * checked record.
 */
export async function checkExternalIds(
  inside: Scope,
  resource: Resource,
  all: readonly {
    change: ExternalIdsChange | undefined
    sent: ExternalIdsInput | undefined
    report: Report
  }[],
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

/** A merge may give a record more ids than allowed. They can be sent back unchanged or reduced. */
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

/** The external ids of records, live or deleted, by the id of the record. Records without any are not in the map. */
export async function externalIdsOf(scope: Tenancy, ids: readonly string[]): Promise<ReadonlyMap<string, ExternalIds>> {
  return byRecord(await loadExternalIds(scope, ids))
}

/** The rows are in the order in which they are shown. */
export function byRecord(rows: readonly ExternalIdRow[]): Map<string, ExternalIds> {
  const groups = Map.groupBy(rows, (row) => row.record_id)
  return new Map([...groups].map(([id, own]) => [id, byNamespace(own)]))
}

function byNamespace(rows: readonly ExternalIdRow[]): ExternalIds {
  const groups = Map.groupBy(rows, (row) => row.namespace)
  return Object.fromEntries([...groups].map(([name, own]) => [name, own.map((row) => row.external_id)]))
}

/**
 * A record can get thousands of ids by merges, and a database has room for a few thousand locks. So the ids of a
 * workspace share this many locks.
 */
const LOCKS = 1024

/** The names of the locks under which other writes of these ids wait. */
export function lockNamesOf({ workspace }: Scope, claims: readonly ExternalClaim[]): string[] {
  const numbers = claims.map(({ namespace, external_id }) => {
    return createHash('sha1').update(`${namespace} ${external_id}`).digest().readUInt16BE(0) % LOCKS
  })
  return [...new Set(numbers)].map((number) => `${workspace.id} external_ids ${number}`)
}

/** The ids that a winner takes from the losers. A chosen namespace replaces them; its problems are reported. */
export async function mergedIds(
  inside: Scope,
  resource: Resource,
  {
    winner,
    losers,
    chosen,
    report,
  }: {
    winner: { id: string }
    /** Oldest first. */
    losers: readonly { id: string }[]
    chosen: ExternalIdsInput | undefined
    report: Report
  },
): Promise<ExternalIdsChange | undefined> {
  const all = [winner.id, ...losers.map((loser) => loser.id)]
  const rows = await loadExternalIds(inside, all)
  if (rows.length === 0 && chosen === undefined) return undefined
  const byRecord = Map.groupBy(rows, (row) => row.record_id)
  const joined = sentAs(all.flatMap((id) => byRecord.get(id) ?? []))
  const sent = chosen === null ? null : new Map([...joined, ...(chosen ?? [])])
  // Only ids that none of the records has count against the limits, or can be taken.
  const compared = externalIdsChange({ id: winner.id, held: rows, sent: chosen })
  await checkExternalIds(inside, resource, [{ change: compared, sent: chosen, report }])
  return externalIdsChange({ id: winner.id, held: byRecord.get(winner.id) ?? [], sent })
}

/** The changes of the winner's ids by a merge, for a later undo. */
export type NotedIds = { removed: readonly ExternalClaim[]; added: readonly ExternalClaim[] }

/** The ids that the losers get back, and the changes of the winner's ids. Ids that were added later stay. */
type IdsBack = { returning: readonly ExternalIdRow[]; change: ExternalIdsChange | undefined }

export async function idsBack(
  inside: Scope,
  { winner, loser_ids, noted }: { winner: { id: string }; loser_ids: readonly string[]; noted: NotedIds | undefined },
): Promise<IdsBack> {
  const rows = await loadExternalIds(inside, [winner.id, ...loser_ids])
  const held = rows.filter((row) => row.record_id === winner.id)
  const returning = rows.filter((row) => row.record_id !== winner.id)
  const gone = new Set([...returning, ...(noted?.added ?? [])].map(nameOf))
  const wanted = [...held, ...(noted?.removed ?? [])].filter((row) => !gone.has(nameOf(row)))
  const cleared = new Map(held.map((row) => [row.namespace, []]))
  const sent = new Map([...cleared, ...sentAs(wanted)])
  return { returning, change: externalIdsChange({ id: winner.id, held, sent }) }
}

/** Ids in the form of an input. */
function sentAs(rows: readonly ExternalClaim[]): Map<string, SentExternalId[]> {
  const groups = Map.groupBy(rows, (row) => row.namespace)
  const items = (own: readonly ExternalClaim[]) => own.map(({ external_id: id }) => ({ id, path: 'external_ids' }))
  return new Map([...groups].map(([namespace, own]) => [namespace, items(own)]))
}
