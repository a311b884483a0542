import type { ChangeAttributes } from '@kith/contract/changes/change-entry'
import type { FeedResource } from '@kith/contract/changes/change-kind'
import type { ExternalIds } from '@kith/contract/external-ids'
import type { ResourceObject } from '../records/present.ts'

/** A record, or the definition of a custom field, as it is sent. */
export type Shown = ResourceObject | { id: string; type: 'custom_fields'; attributes: object }

/** A change as it is read. */
export type Entry = { id: string; type: 'changes'; attributes: ChangeAttributes<Shown> }

type Snapshotted = { resource: FeedResource; at: string; external_ids: ExternalIds; record: Shown; thin: boolean }

/** An entry of an initial sync, under the record's own id. */
export function snapshotEntry({ resource, at, external_ids, record, thin }: Snapshotted): Entry {
  const { id } = record
  return {
    id,
    type: 'changes',
    attributes: {
      ...{ sequence: null, kind: 'snapshot', resource, record_id: id, at, changed: [], merged_into: null },
      external_ids,
      origin: null,
      ...(thin ? {} : { record }),
    },
  }
}
