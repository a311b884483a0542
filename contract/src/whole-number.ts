import type { Report } from './issue.ts'
import { isUnsent } from './raw-input.ts'

/** A whole number of at least 1, also as a text of digits. */
export function parseWhole(
  raw: unknown,
  { name, max }: { name: string; max: number },
  report: Report,
): number | undefined {
  if (isUnsent(raw)) return undefined
  const number = typeof raw === 'string' && /^[0-9]{1,15}$/.test(raw) ? Number(raw) : raw
  if (typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= max) return number
  report(name, `The ${name} must be a whole number from 1 to ${max.toLocaleString('en-US')}.`)
  return undefined
}
