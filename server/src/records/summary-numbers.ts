import type { FieldDefinition } from '@kith/contract/field-definition'
import { fieldTypes } from '@kith/contract/field-types'
import type { SummaryRow } from '../storage/query/summaries.ts'

const PART = 2n ** 20n

/** The sum of a group in decimals: 0.1 and 0.2 make 0.3. */
export function sumOf(row: SummaryRow, field: FieldDefinition): number {
  return asNumber(unitsOf(row, field), decimalsOf(field))
}

/** Rounded to the decimals that the field shows. */
export function averageOf(row: SummaryRow, field: FieldDefinition): number | null {
  if (row.held === 0) return null
  const shown = fieldTypes[field.type].sum?.shown(field) ?? 0
  const step = 10n ** BigInt(decimalsOf(field) - shown)
  return asNumber(divided(unitsOf(row, field), BigInt(row.held) * step), shown)
}

function decimalsOf({ type }: FieldDefinition): number {
  return fieldTypes[type].sum?.decimals ?? 0
}

/** The sum as a count of the smallest units. */
function unitsOf({ high_part, low_part, fraction }: SummaryRow, field: FieldDefinition): bigint {
  const whole = BigInt(high_part ?? 0) * PART + BigInt(low_part ?? 0)
  return whole * 10n ** BigInt(decimalsOf(field)) + BigInt(fraction ?? 0)
}

/** Rounded to the nearest, halves away from zero. */
function divided(units: bigint, by: bigint): bigint {
  const size = units < 0n ? -units : units
  const rounded = (size * 2n + by) / (by * 2n)
  return units < 0n ? -rounded : rounded
}

function asNumber(units: bigint, decimals: number): number {
  const size = String(units < 0n ? -units : units).padStart(decimals + 1, '0')
  const text = `${size.slice(0, size.length - decimals)}.${size.slice(size.length - decimals)}`
  const value = Number(text)
  return units < 0n ? -value : value
}
