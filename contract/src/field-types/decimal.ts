import { boundsOf } from '../bounds.ts'
import type { IndexEntry, Place, StoredValue } from '../field-type.ts'
import type { Test } from '../filter.ts'
import type { Operator } from '../operators.ts'

const NUMERAL = /^[+-]?(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?$/
/** No finite number needs more digits before its point. */
const NUMERAL_MAX = 400

/** The digits of a number without zeros at either end, and their power of ten. */
type Decimal = { digits: string; exponent: number }

/** A finite JSON number, or one written as text in decimal or exponent notation. */
export function parseNumber(raw: unknown): number | undefined {
  const value = typeof raw === 'string' ? numberIn(raw) : raw
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  return value === 0 ? 0 : value
}

/** The decimal form of a number that parseNumber accepts: a text as written, a number in its shortest form. */
export function decimalOf(raw: unknown): Decimal {
  const parts = NUMERAL.exec(String(raw).trim())
  const fraction = parts?.[2] ?? parts?.[3] ?? ''
  const written = (parts?.[1] ?? '') + fraction
  let start = 0
  let end = written.length
  while (end > 0 && written[end - 1] === '0') end--
  while (start < end && written[start] === '0') start++
  if (start === end) return { digits: '0', exponent: 0 }
  return {
    digits: written.slice(start, end),
    exponent: Number(parts?.[4] ?? 0) - fraction.length + written.length - end,
  }
}

export function numberEntries(stored: StoredValue): IndexEntry[] {
  return typeof stored === 'number' ? [{ match_key: null, number_key: stored, host_key: null, exact: null }] : []
}

export function numberTest(operator: Operator, raw: unknown, { field, path, report }: Place): Test | undefined {
  const value = parseNumber(raw)
  if (value !== undefined) return { test: 'number', bounds: boundsOf(operator, value) }
  report(path, `The ${field.name} must be a number.`)
  return undefined
}

function numberIn(text: string): number | undefined {
  if (text.length > NUMERAL_MAX) return undefined
  const numeral = text.trim()
  return NUMERAL.test(numeral) ? Number(numeral) : undefined
}
