import type { ResourceName } from '../resource.ts'

/** A row of `GET /trash`: a deleted record that can still be restored. */
export type TrashedRecord = {
  resource: ResourceName
  id: string
  name: string
  deleted_at: string
  deleted_by: { id: string; name: string } | null
  restorable_until: string
  /** The merge by which it was deleted: restoring the record undoes it. */
  merge_id: string | null
  /** The winner of that merge. */
  merged_into: string | null
}
