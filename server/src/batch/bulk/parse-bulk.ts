import { parseId } from '@kith/contract/id'
import { BATCH_CHUNK, IDEMPOTENCY_KEY_MAX } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import { type Fields, readInput } from '../../scope/read-input.ts'

/** A record, when it was last changed, and what a value of it was before. */
export type Earlier = { id: string; updated_at: string; before: unknown }

/** The records of a request, and the key under which its result is stored. */
export type BulkRequest = { ids: readonly string[]; filter: unknown; key: string }

export function parseBulk<T>(body: unknown, more: (fields: Fields) => T): BulkRequest & T {
  return readInput(body, (fields) => ({
    ids: idsIn(fields),
    filter: fields.raw('filter'),
    key: fields.text('key', IDEMPOTENCY_KEY_MAX),
    ...more(fields),
  }))
}

export function parseUndo<T>(body: unknown, more: (fields: Fields) => T): { records: Earlier[]; key: string } & T {
  return readInput(body, (fields) => ({
    records: earlierIn(fields),
    key: fields.text('key', IDEMPOTENCY_KEY_MAX),
    ...more(fields),
  }))
}

function idsIn({ raw, report }: Fields): string[] {
  const sent = raw('ids')
  const ids = Array.isArray(sent) ? sent.map(parseId) : []
  const known = ids.filter((id) => id !== undefined)
  if (known.length === 0 || known.length < ids.length || ids.length > BATCH_CHUNK) {
    report('ids', `The ids must be a list of 1 to ${BATCH_CHUNK} IDs of records.`)
  }
  return [...new Set(known)]
}

function earlierIn({ raw, report }: Fields): Earlier[] {
  const sent = raw('records')
  const items = Array.isArray(sent) ? sent : []
  const records = items.flatMap((item): Earlier[] => {
    const id = isObject(item) ? parseId(item.id) : undefined
    if (!isObject(item) || id === undefined || typeof item.updated_at !== 'string') return []
    return [{ id, updated_at: item.updated_at, before: item.before ?? null }]
  })
  if (records.length === 0 || records.length < items.length || records.length > BATCH_CHUNK) {
    report('records', `The records must be a list of 1 to ${BATCH_CHUNK} objects with id and updated_at.`)
  }
  return records
}
