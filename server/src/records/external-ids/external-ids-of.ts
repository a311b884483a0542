import type { ExternalIds } from '@kith/contract/external-ids'
import type { Scope } from '../../scope/scope.ts'
import { type ExternalIdRow, loadExternalIds } from '../../storage/tables/external-ids.ts'

/** The external ids of records, live or deleted, by the id of the record. Records without any are not in the map. */
export async function externalIdsOf(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, ExternalIds>> {
  return byRecord(await loadExternalIds(scope, ids))
}

/** The rows are in the order in which they are shown. */
export function byRecord(rows: readonly ExternalIdRow[]): Map<string, ExternalIds> {
  const groups = Map.groupBy(rows, (row) => row.record_id)
  return new Map([...groups].map(([id, own]) => [id, byNamespace(own)]))
}

export function byNamespace(rows: readonly ExternalIdRow[]): ExternalIds {
  const groups = Map.groupBy(rows, (row) => row.namespace)
  return Object.fromEntries([...groups].map(([name, own]) => [name, own.map((row) => row.external_id)]))
}
