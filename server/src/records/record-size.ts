import type { Report } from '@kith/contract/issue'
import { RECORD_MAX_BYTES } from '@kith/contract/limits'
import type { RecordRow } from '../storage/tables/records.ts'
import { changedJson, type ValueChanges } from './stored-values.ts'

type Written = { label: string | undefined; values: ValueChanges }

/**
 * Reports a write that would make a record larger than a record may be. A record that is too large already, from before
 * there was a limit, can be renamed and become smaller.
 */
export function checkRecordSize(current: RecordRow | undefined, { label, values }: Written, report: Report): void {
  const before = { label: current?.name ?? current?.title ?? '', json: current?.custom_fields ?? '{}' }
  const after = bytesOf({ label: label ?? before.label, json: changedJson(before.json, values) })
  const isNotMore = after <= bytesOf(before) || values.size === 0
  if (after <= RECORD_MAX_BYTES || (bytesOf(before) > RECORD_MAX_BYTES && isNotMore)) return
  const sizes = `${grouped(after)} bytes with its name, and a record can have ${grouped(RECORD_MAX_BYTES)} (1 MiB)`
  report('custom_fields', `The custom_fields of the record would have ${sizes}. Shorten or clear some values.`)
}

function bytesOf({ label, json }: { label: string; json: string }): number {
  return Buffer.byteLength(label) + Buffer.byteLength(json)
}

export function grouped(bytes: number): string {
  return bytes.toLocaleString('en-US')
}
