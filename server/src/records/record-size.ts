import type { StoredValue } from '@kith/contract/field-type'
import type { Report } from '@kith/contract/issue'
import { RECORD_MAX_BYTES } from '@kith/contract/limits'
import type { RecordRow } from '../storage/tables/records.ts'
import { changedJson, type ValueChanges } from './stored-values.ts'

type Written = { label: string | undefined; values: ValueChanges }

/**
 * Reports a write that would make a record larger than a record may be. A record that is too large already, since
 * before there was a limit, can stay as it is, be renamed and become smaller.
 */
export function checkRecordSize(current: RecordRow | undefined, { label, values }: Written, report: Report): void {
  const before = { label: current?.name ?? current?.title ?? '', json: current?.custom_fields ?? '{}' }
  if (mostBytes(before, values) + mostTextBytes(label ?? '') <= RECORD_MAX_BYTES) return
  const after = bytesOf({ label: label ?? before.label, json: changedJson(before.json, values) })
  if (after <= RECORD_MAX_BYTES || isAllowedStill(bytesOf(before), after, values)) return
  const sizes = `${grouped(after)} bytes with its name, and a record can have ${grouped(RECORD_MAX_BYTES)} (1 MiB)`
  report('custom_fields', `The custom_fields of the record would have ${sizes}. Shorten or clear some values.`)
}

function isAllowedStill(before: number, after: number, values: ValueChanges): boolean {
  return before > RECORD_MAX_BYTES && (after <= before || values.size === 0)
}

type Text = { label: string; json: string }

function bytesOf({ label, json }: Text): number {
  return Buffer.byteLength(label) + Buffer.byteLength(json)
}

/**
 * A JSON escape has six bytes, and no character that is not escaped has more than three for each of its UTF-16 units.
 */
const ESCAPE_BYTES = 6
const UNIT_BYTES = 3
/** Quotes, colon, comma and the key of a field. */
const PUNCTUATION_BYTES = 100

/** An upper bound, so that ordinary records are not written out only to be measured. */
function mostBytes({ label, json }: Text, values: ValueChanges): number {
  let bytes = (label.length + json.length) * UNIT_BYTES
  for (const [{ key }, value] of values) bytes += mostTextBytes(key) + PUNCTUATION_BYTES + mostValueBytes(value)
  return bytes
}

function mostValueBytes(value: StoredValue | null): number {
  if (typeof value === 'string') return mostTextBytes(value)
  return Array.isArray(value) ? value.reduce((sum, one) => sum + mostTextBytes(one) + UNIT_BYTES, 0) : 0
}

function mostTextBytes(text: string): number {
  return text.length * ESCAPE_BYTES
}

export function grouped(bytes: number): string {
  return bytes.toLocaleString('en-US')
}
