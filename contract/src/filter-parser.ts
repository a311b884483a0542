import { excerpt } from './excerpt.ts'
import { parseOperandList } from './field-types/operand-list.ts'
import { ME } from './filter.ts'
import { parseId } from './id.ts'
import { type BoundedReport, boundedReport, type Report } from './issue.ts'
import { FILTER_CONDITIONS_MAX } from './limits.ts'
import { suggestion } from './nearest.ts'
import { isObject, listItems } from './raw-input.ts'

/** The context that all nodes of a filter share while it is parsed. */
type FilterParser = {
  loose: boolean
  /** The path of the filter itself. */
  root: string
  report: Report
  failed: BoundedReport['failed']
  /** Whether enough problems were reported to stop. */
  stopped: () => boolean
  /** Counts one more condition; false if that is more than a filter may have. */
  count: () => boolean
}

/** A node of the filter: its path, and the parser that it is part of. */
export type Spot = { path: string; parser: FilterParser }

export function filterParser({ loose, root, report }: Pick<FilterParser, 'loose' | 'root' | 'report'>): FilterParser {
  const bounded = boundedReport(report)
  let conditions = 0
  return {
    loose,
    root,
    report: bounded.report,
    failed: bounded.failed,
    stopped: () => conditions > FILTER_CONDITIONS_MAX || bounded.full(),
    count() {
      conditions++
      if (conditions === FILTER_CONDITIONS_MAX + 1) {
        bounded.report(root, `A filter takes at most ${FILTER_CONDITIONS_MAX} conditions, counted at every depth.`)
      }
      return conditions <= FILTER_CONDITIONS_MAX
    },
  }
}

/** The entries of a node whose keys must be among a few words, such as operators. Reports the other keys. */
export function* wordsIn<Word extends string>(
  raw: unknown,
  { name, words }: { name: string; words: readonly Word[] },
  { path, parser }: Spot,
): Generator<{ word: Word; value: unknown; path: string }> {
  const keys = isObject(raw) ? Object.keys(raw) : []
  if (!isObject(raw) || keys.length === 0) {
    const right = corrected(raw, words, { path, parser })
    parser.report(path, `The filter ${name} must be an object with at least one of: ${words.join(', ')}.${right}`)
    return
  }
  for (const key of keys) {
    if (parser.stopped()) return
    const keyPath = `${path}.${excerpt(key)}`
    const word = words.find((candidate) => candidate === key)
    if (word !== undefined) yield { word, value: raw[key], path: keyPath }
    else parser.report(keyPath, unknownWord(key, name, words))
  }
}

/** The operators that a bare value most likely stands for, and whether they take a list. */
const meant = [
  ['$eq', false],
  ['$in', true],
  ['$has_any', true],
] as const

/** A bare value as the filter that it most likely stands for, in a sentence; nothing for what has no value. */
function corrected(raw: unknown, words: readonly string[], spot: Spot): string {
  if (isObject(raw) || raw === undefined || raw === '' || (Array.isArray(raw) && raw.length === 0)) return ''
  if (raw === null) return words.includes('$is_empty') ? written({ $is_empty: true }, spot) : ''
  const known = meant.filter(([word, takesList]) => words.includes(word) && (takesList || !Array.isArray(raw)))
  const [word, takesList] = known[0] ?? []
  return word === undefined ? '' : written({ [word]: takesList && !Array.isArray(raw) ? [raw] : raw }, spot)
}

/** The filter that a bare value of a relation most likely stands for. `label`: that of the related record. */
export function correctedLink(raw: unknown, label: string | undefined, spot: Spot): string {
  const isId = raw === ME ? label === undefined : parseId(raw) !== undefined
  if (isId || Array.isArray(raw)) return corrected(raw, ['$in'], spot)
  return label !== undefined && typeof raw === 'string' && raw !== '' ? written({ [label]: { $eq: raw } }, spot) : ''
}

/** A condition as it is sent: as JSON, or in a query string. */
function written(condition: object, { path, parser }: Spot): string {
  if (!parser.loose) {
    const key = path.split('.').at(-1) ?? ''
    return ` Send ${excerpt(JSON.stringify({ [key]: condition }))}.`
  }
  const [root, ...names] = path.split('.')
  const inside = (value: unknown): string => {
    if (Array.isArray(value)) return `=${value.join(',')}`
    return isObject(value)
      ? (Object.entries(value).map(([key, own]) => `[${key}]${inside(own)}`)[0] ?? '')
      : `=${value}`
  }
  return ` Send ${excerpt(root + names.map((name) => `[${name}]`).join('') + inside(condition))}.`
}

export function unknownWord(key: string, name: string, words: readonly string[]): string {
  return `The filter ${name} does not take ${excerpt(key)}. Accepted: ${words.join(', ')}.${suggestion(key, words)}`
}

/** True or false; in a query string also as text, and as 1 or 0. */
export function parseFlag(raw: unknown, { path, parser }: Spot): boolean | undefined {
  const { loose, report } = parser
  if (typeof raw === 'boolean') return raw
  if (loose && (raw === 'true' || raw === '1')) return true
  if (loose && (raw === 'false' || raw === '0')) return false
  report(path, `The value of ${path} must be true or false${loose ? ' (or 1 or 0)' : ''}.`)
  return undefined
}

/** The ids of a list, lower-case and each once. Those of members may have `me` among them. */
export function parseIds(
  raw: unknown,
  spot: Spot,
  me: 'never me' | 'or me' | 'me is refused' = 'never me',
): readonly string[] | undefined {
  return parseWords(raw, spot, (item, path) => {
    if (item === ME && me === 'or me') return ME
    if (item === ME && me === 'me is refused') {
      spot.parser.report(path, `The value of ${path} cannot be me here: the reader would decide what matches.`)
      return undefined
    }
    const id = parseId(item)
    if (id === undefined) spot.parser.report(path, `The value of ${path} must be an ID: 26 letters and digits.`)
    return id
  })
}

/** The items of a list, each once. A query string may join them by commas: no item can contain one. */
export function parseWords(
  raw: unknown,
  { path, parser: { loose, report } }: Spot,
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
