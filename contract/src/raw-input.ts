import type { Report } from './issue.ts'

/** An empty or null parameter counts as not sent. */
export function isUnsent(raw: unknown): boolean {
  return raw === undefined || raw === null || raw === ''
}

export function isObject(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
}

/** Deeper than anything that can be asked here. */
export const NESTING_MAX = 100

/**
 * Whether lists and objects are nested deeper than that. Writing such a value as JSON would overflow the stack.
 */
export function isDeep(raw: unknown, levels = NESTING_MAX): boolean {
  if (typeof raw !== 'object' || raw === null) return false
  return levels === 0 || Object.values(raw).some((part) => isDeep(part, levels - 1))
}

/** The items of a list, or undefined where it is none. A query string may number them (`[0]`, `[1]`). */
export function listItems(raw: unknown, loose: boolean): readonly unknown[] | undefined {
  if (Array.isArray(raw)) return raw
  if (!loose || !isObject(raw)) return undefined
  return Object.keys(raw).every(isIndex) ? Object.values(raw) : undefined
}

/** The names in a comma list or in a list of them, or undefined where it is neither. Empty names are none. */
export function listNames(raw: unknown, loose: boolean): string[] | undefined {
  const items = typeof raw === 'string' ? [raw] : listItems(raw, loose)
  if (items === undefined) return undefined
  const names: string[] = []
  for (const item of items) {
    if (typeof item !== 'string') return undefined
    for (const name of item.split(',')) if (name.trim() !== '') names.push(name.trim())
  }
  return names
}

function isIndex(key: string): boolean {
  return /^[0-9]{1,4}$/.test(key)
}

/** The value of a JSON text; undefined where the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

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

/** Characters that no text may contain, because a database or JSON parser could not return them. */
export function unstorable(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the NUL character'
  if (!text.isWellFormed()) return 'must be valid Unicode'
  return undefined
}
