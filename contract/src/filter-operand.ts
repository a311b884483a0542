import { parseOperandList } from './field-types/operand-list.ts'
import type { Spot } from './filter-walk.ts'
import { parseId } from './id.ts'
import { listItems } from './raw-input.ts'

/** True or false; in a query string also as text, and as 1 or 0. */
export function parseFlag(raw: unknown, { path, walk }: Spot): boolean | undefined {
  const { loose, report } = walk
  if (typeof raw === 'boolean') return raw
  if (loose && (raw === 'true' || raw === '1')) return true
  if (loose && (raw === 'false' || raw === '0')) return false
  report(path, `The value of ${path} must be true or false${loose ? ' (or 1 or 0)' : ''}.`)
  return undefined
}

/** The ids of a list, lower-case and each once. */
export function parseIds(raw: unknown, spot: Spot): readonly string[] | undefined {
  return parseWords(raw, spot, (item, path) => {
    const id = parseId(item)
    if (id === undefined) spot.walk.report(path, `The value of ${path} must be an ID: 26 letters and digits.`)
    return id
  })
}

/** The items of a list, each once. A query string may join them by commas: no item can contain one. */
export function parseWords(
  raw: unknown,
  { path, walk: { loose, report } }: Spot,
  read: (item: unknown, path: string) => string | undefined,
): readonly string[] | undefined {
  const bare = loose ? 'joined by commas' : 'refused'
  const list = { name: `value of ${path}`, path, report, bare } as const
  const items = parseOperandList(numbered(raw, loose), list, (item, itemPath) =>
    read(loose && typeof item === 'string' ? item.trim() : item, itemPath),
  )
  return items && [...new Set(items)]
}

/** A query string may number the items of a list (`[0]`, `[1]`) instead of sending `[]`. */
export function numbered(raw: unknown, loose: boolean): unknown {
  return loose ? (listItems(raw, loose) ?? raw) : raw
}
