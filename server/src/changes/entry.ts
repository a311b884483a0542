import type { ChangeAttributes } from '@kith/contract/changes/change-entry'
import type { FeedResource } from '@kith/contract/changes/change-kind'
import type { ExternalIds } from '@kith/contract/external-ids'
import type { Origin } from '@kith/contract/history-entry'
import type { ResourceObject } from '../records/present.ts'
import type { Scope } from '../scope/scope.ts'
import type { NumberedChange } from '../storage/tables/changes.ts'

/** A record, or the definition of a custom field, as it is sent. */
export type Shown = ResourceObject | { id: string; type: 'custom_fields'; attributes: object }

/** A change as it is read. */
export type Entry = { id: string; type: 'changes'; attributes: ChangeAttributes<Shown> }

type Present = { external_ids: ExternalIds | undefined; record: Shown | null | undefined; left: boolean }

/** An entry of the feed. `record` is undefined in a thin one. */
export function entryOf(scope: Scope, change: NumberedChange, { external_ids, record, left }: Present): Entry {
  const { id, sequence, resource, record_id, at, merged_into } = change
  const kind = left ? 'left' : change.kind
  return {
    id,
    type: 'changes',
    attributes: {
      ...{ sequence, kind, resource, record_id, at },
      // Only updates have names, and noteWrite wrote them.
      changed: kind === 'updated' && change.changed !== null ? (JSON.parse(change.changed) as string[]) : [],
      merged_into,
      external_ids: external_ids ?? (change.external_ids === null ? {} : JSON.parse(change.external_ids)),
      origin: originOf(scope, change),
      ...(record === undefined ? {} : { record }),
    },
  }
}

function originOf({ actor }: Scope, { source, actor_id, token_id }: NumberedChange): Origin {
  const own =
    actor.token_id === null
      ? token_id === null && source === 'web' && actor_id === actor.user_id
      : token_id === actor.token_id
  return { source, actor_id, token_id, own }
}

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
