import type { Presented, ResourceObject } from '../records/present.ts'

/** A single record, in the same form on every surface. */
type RecordDocument = {
  data: ResourceObject | undefined
  included: readonly ResourceObject[] | undefined
  meta: { truncated: string[] } | undefined
}

export function recordDocument({ data, included, truncated }: Presented): RecordDocument {
  return { data: data[0], included, meta: truncated.length > 0 ? { truncated } : undefined }
}
