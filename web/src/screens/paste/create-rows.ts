import type { BatchResult } from '@kith/contract/batch'
import { BATCH_MAX } from '@kith/contract/limits'
import type { ResourceName } from '@kith/contract/resource'
import { type BulkJob, beginBulk, newBulkRun, type RecordResult } from '../../api/bulk.ts'
import { callForData } from '../../api/call.ts'

/**
 * Creates records in one batch. `key` is that of the batch: the same one again creates nothing twice. `onEnd` gets the
 * results; undefined if the batch was refused or given up.
 */
export function startCreation(options: {
  slug: string
  resource: ResourceName
  words: BulkJob['words']
  key: string
  rows: readonly object[]
  onEnd(results: readonly BatchResult[] | undefined): void
}): void {
  const { slug, resource, words, key, rows, onEnd } = options
  let results: readonly BatchResult[] | undefined
  const body = { operations: rows.map((data) => ({ op: 'create', data })) }
  const run = newBulkRun(slug, resource, {
    chunk: BATCH_MAX,
    find: async () => rows.map((_, place) => String(place)),
    async send() {
      results = await callForData<BatchResult[]>('POST', `/w/${slug}/v1/${resource}/batch`, { body, key })
      return results.map(createdOf)
    },
  })
  void beginBulk({ slug, run, resource, words, action: { kind: 'create' }, isUndo: false }).then(() => onEnd(results))
}

function createdOf({ index, status, id, message = '', errors = {} }: BatchResult): RecordResult {
  if (status < 300 && id) return { id, outcome: 'changed', change: id }
  return { id: String(index), outcome: 'failed', message: Object.values(errors).flat().join(' ') || message }
}
