import { parseOperandList } from './field-types/operand-list.ts'
import type { Walk } from './filter-walk.ts'
import { parseId } from './id.ts'
import { listItems } from './raw-input.ts'

/** True or false; in a query string also as text, and as 1 or 0. */
export function parseFlag(raw: unknown, path: string, { loose, report }: Walk): boolean | undefined {
  if (typeof raw === 'boolean') return raw
  if (loose && (raw === 'true' || raw === '1')) return true
  if (loose && (raw === 'false' || raw === '0')) return false
  report(path, `The value of ${path} must be true or false${loose ? ' (or 1 or 0)' : ''}.`)
  return undefined
}

/** The ids of a list, lower-case and each once. */
export function parseIds(raw: unknown, path: string, walk: Walk): readonly string[] | undefined {
  return parseWords(raw, path, walk, (item, itemPath) => {
    const id = parseId(item)
    if (id === undefined) walk.report(itemPath, `The value of ${itemPath} must be an ID: 26 letters and digits.`)
    return id
  })
}

/** The items of a list that a query string may join by commas, because none of them can hold one. Equal ones fold. */
export function parseWords(
  raw: unknown,
  path: string,
  { loose, report }: Walk,
  read: (item: unknown, path: string) => string | undefined,
): readonly string[] | undefined {
  const place = { name: `value of ${path}`, path, report }
  const items = parseOperandList(
    numbered(raw, loose),
    loose ? 'joined by commas' : 'refused',
    place,
    (item, itemPath) => read(loose && typeof item === 'string' ? item.trim() : item, itemPath),
  )
  return items && [...new Set(items)]
}

/** A query string may number the items of a list (`[0]`, `[1]`) instead of sending `[]`. */
export function numbered(raw: unknown, loose: boolean): unknown {
  return loose ? (listItems(raw, loose) ?? raw) : raw
}
