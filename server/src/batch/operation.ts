import type { RefusalReason } from '@kith/contract/refusal'
import type { ResourceName } from '@kith/contract/resource'
import type { ResourceObject } from '../records/present.ts'
import type { Written } from '../records/write-set.ts'

export const operationNames = ['create', 'update', 'upsert', 'delete'] as const
export type OperationName = (typeof operationNames)[number]

/** A write of a batch or an import. What it names and sends is checked when it runs. */
export type Operation = {
  op: OperationName
  resource: ResourceName
  /** A name by which later operations of the batch can name the record. */
  lid?: string | undefined
  /** Of an update or delete. */
  id?: string | { lid: string } | undefined
  /** Of an upsert, as in the body of the single request. */
  match?: unknown
  /** Like the headers, with or without quotes. */
  if_match?: string | undefined
  if_none_match?: string | undefined
  /** The body of the single request. */
  data?: unknown
}

/** What became of an operation: as in the single request. */
export type Outcome = WrittenRecord | { removed: string } | { refused: RefusalReason }

/** `shown` is the record in the sync form, where it is asked for. */
type WrittenRecord = Written & { shown?: ResourceObject | undefined }

/** The id of the record of each lid: null if its operation was refused. Later ones are not there. */
export type Lids = Map<string, string | null>

/** The id of the record that an operation has written. Null if it was refused. */
export function idOf(outcome: Outcome): string | null {
  if ('refused' in outcome) return null
  return 'removed' in outcome ? outcome.removed : outcome.row.id
}
