import { lengthOf } from '@kith/contract/fold'
import type { Report } from '@kith/contract/issue'
import { unstorable } from '@kith/contract/text'

const DESCRIPTION_MAX = 1000

/** A trimmed text that must not be empty. */
export function parseLine(raw: unknown, { key, max }: { key: string; max: number }, report: Report) {
  if (raw !== null && typeof raw !== 'string') {
    report(key, `The ${key} must be a string.`)
    return undefined
  }
  const text = raw?.trim() ?? ''
  const problem = unstorable(text)
  if (text === '') report(key, `The ${key} must not be empty.`)
  else if (lengthOf(text) > max) report(key, `The ${key} must not be longer than ${max} characters.`)
  else if (problem) report(key, `The ${key} ${problem}.`)
  else return text
  return undefined
}

export function parseDescription(raw: unknown, report: Report): string | null | undefined {
  if (raw === null || (typeof raw === 'string' && raw.trim() === '')) return null
  return parseLine(raw, { key: 'description', max: DESCRIPTION_MAX }, report)
}

/** Null switches off. */
export function parseFlag(raw: unknown, key: string, report: Report): boolean | undefined {
  if (raw === null) return false
  if (typeof raw === 'boolean') return raw
  report(key, `The ${key} must be true or false.`)
  return undefined
}

export function parseWhole(
  raw: unknown,
  { key, from, to }: { key: string; from: number; to: number },
  report: Report,
): number | undefined {
  if (typeof raw === 'number' && Number.isInteger(raw) && raw >= from && raw <= to) return raw
  report(key, `The ${key} must be a whole number from ${from} to ${to}.`)
  return undefined
}
