import type { ExternalIdsInput, SentExternalId } from '@kith/contract/external-ids'
import type { Report } from '@kith/contract/issue'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { type ExternalClaim, type ExternalIdRow, loadExternalIds } from '../../storage/tables/external-ids.ts'
import { type ExternalIdsChange, externalIdsChange } from './changes.ts'
import { checkExternalIds } from './check.ts'

type Merging = {
  winner: { id: string }
  /** The oldest first. */
  losers: readonly { id: string }[]
  chosen: ExternalIdsInput | undefined
  report: Report
}

/**
 * The ids that a winner takes from the losers. A chosen namespace replaces them, and what is wrong with it is reported.
 */
export async function mergedIds(
  inside: Scope,
  resource: Resource,
  { winner, losers, chosen, report }: Merging,
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

/** What a merge changed of its winner's ids, for a later undo. */
export type NotedIds = { removed: readonly ExternalClaim[]; added: readonly ExternalClaim[] }

type Undoing = { winner: { id: string }; loser_ids: readonly string[]; noted: NotedIds | undefined }

/** What the losers get back, and what changes of the winner's ids. What was added later stays. */
type IdsBack = { returning: readonly ExternalIdRow[]; change: ExternalIdsChange | undefined }

export async function idsBack(inside: Scope, { winner, loser_ids, noted }: Undoing): Promise<IdsBack> {
  const rows = await loadExternalIds(inside, [winner.id, ...loser_ids])
  const held = rows.filter((row) => row.record_id === winner.id)
  const returning = rows.filter((row) => row.record_id !== winner.id)
  const gone = new Set([...returning, ...(noted?.added ?? [])].map(nameOf))
  const wanted = [...held, ...(noted?.removed ?? [])].filter((row) => !gone.has(nameOf(row)))
  const cleared = new Map(held.map((row) => [row.namespace, []]))
  const sent = new Map([...cleared, ...sentAs(wanted)])
  return { returning, change: externalIdsChange({ id: winner.id, held, sent }) }
}

function nameOf({ namespace, external_id }: ExternalClaim): string {
  return `${namespace} ${external_id}`
}

/** Ids as if they were sent. */
function sentAs(rows: readonly ExternalClaim[]): Map<string, SentExternalId[]> {
  const groups = Map.groupBy(rows, (row) => row.namespace)
  const items = (own: readonly ExternalClaim[]) => own.map(({ external_id: id }) => ({ id, path: 'external_ids' }))
  return new Map([...groups].map(([namespace, own]) => [namespace, items(own)]))
}
