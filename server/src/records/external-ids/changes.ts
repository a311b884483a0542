import type { ExternalIds, ExternalIdsInput } from '@kith/contract/external-ids'
import { type ExternalIdRow, inOrder } from '../../storage/tables/external-ids.ts'
import { byNamespace } from './external-ids-of.ts'

/** How a write changes the external ids of a record: the rows, and all ids before and after. */
export type ExternalIdsChange = {
  removed: readonly ExternalIdRow[]
  added: readonly ExternalIdRow[]
  before: ExternalIds
  after: ExternalIds
}

/** The sent ids, and those that the record holds. */
type Sending = { id: string; held: readonly ExternalIdRow[]; sent: ExternalIdsInput | undefined }

/** Undefined if nothing changes. A different order is no change. */
export function externalIdsChange({ id, held, sent }: Sending): ExternalIdsChange | undefined {
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
