import { FILTER_LIST_MAX } from '../limits.ts'
import type { NamedPlace } from './operand-text.ts'

/**
 * How to read a text where a list is expected: JSON refuses it; in a query string it is one value, or several joined by
 * commas.
 */
type BareText = 'refused' | 'one value' | 'joined by commas'

/** Reads the items of a list operand one by one. Undefined when the list or one of its items had a problem. */
export function parseOperandList<T>(
  raw: unknown,
  { name, path, report, bare }: NamedPlace & { bare: BareText },
  parseItem: (item: unknown, path: string) => T | undefined,
): T[] | undefined {
  const items = itemsOf(raw, bare)
  const problem = problemOf(items)
  if (items === undefined || problem !== undefined) {
    report(path, `The ${name} ${problem}.`)
    return undefined
  }
  const parsed: T[] = []
  for (let index = 0; index < items.length; index++) {
    const item = parseItem(items[index], `${path}.${index}`)
    if (item !== undefined) parsed.push(item)
  }
  return parsed.length === items.length ? parsed : undefined
}

function itemsOf(raw: unknown, bare: BareText): readonly unknown[] | undefined {
  if (Array.isArray(raw)) return raw
  if (typeof raw !== 'string' || bare === 'refused') return undefined
  if (bare === 'one value') return raw === '' ? [] : [raw]
  return raw.split(',').filter((part) => part.trim() !== '')
}

function problemOf(items: readonly unknown[] | undefined): string | undefined {
  if (items === undefined) return 'must be a list'
  if (items.length === 0) return 'must not be an empty list'
  if (items.length > FILTER_LIST_MAX) return `must not be a list of more than ${FILTER_LIST_MAX} values`
  return undefined
}
