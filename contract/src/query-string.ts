import { excerpt } from './excerpt.ts'
import type { Report } from './issue.ts'

/**
 * The deepest filter has 14 segments: `filter`, three times `$or` and an index, two relations, `custom_fields`, a code,
 * `domain`, `$in` and `[]`.
 */
const SEGMENTS_MAX = 16
const PARAMETERS_MAX = 1000
const NOT_DECODABLE = 'must have a value of percent-encoded UTF-8 without the NUL character.'

type Branch = { [key: string]: string | string[] | Branch }

/** Reads bracket notation into nested objects without prototypes. Every value is text; `[]` makes a list. */
export function parseQueryString(text: string, report: Report): Record<string, unknown> {
  const root = emptyBranch()
  let count = 0
  let start = 0
  while (start < text.length) {
    const found = text.indexOf('&', start)
    const end = found === -1 ? text.length : found
    if (end > start) {
      count++
      if (count > PARAMETERS_MAX) {
        report('query', `The query string takes at most ${PARAMETERS_MAX} parameters.`)
        return root
      }
      readParameter(text.slice(start, end), root, report)
    }
    start = end + 1
  }
  return root
}

/**
 * The inverse of parseQueryString. Keeps the order, leaves out undefined, writes null and empty lists as an empty
 * value.
 */
export function writeQueryString(params: object): string {
  const pairs: string[] = []
  for (const [name, value] of Object.entries(params)) writeInto(pairs, encode(name), value)
  return pairs.join('&')
}

function readParameter(pair: string, root: Branch, report: Report): void {
  const equals = pair.indexOf('=')
  const rawKey = equals === -1 ? pair : pair.slice(0, equals)
  const key = decode(rawKey)
  if (key === undefined) {
    const name = excerpt(rawKey)
    report(name, `The parameter name ${name} must be percent-encoded UTF-8 without the NUL character.`)
    return
  }
  const segments = segmentsOf(key)
  if (typeof segments === 'string') {
    report(
      excerpt(key) || 'query',
      key === '' ? `A parameter ${segments}` : `The parameter ${excerpt(key)} ${segments}`,
    )
    return
  }
  const value = equals === -1 ? '' : decode(pair.slice(equals + 1))
  const problem = value === undefined ? NOT_DECODABLE : place(root, segments, value)
  if (problem !== undefined) report(excerpt(dotted(segments)), `The parameter ${excerpt(key)} ${problem}`)
}

function dotted(segments: readonly string[]): string {
  return segments.filter((segment) => segment !== '').join('.')
}

function decode(raw: string): string | undefined {
  const text = raw.includes('+') ? raw.replaceAll('+', ' ') : raw
  const decoded = text.includes('%') ? percentDecode(text) : text
  return decoded === undefined || decoded.includes('\0') || !decoded.isWellFormed() ? undefined : decoded
}

function percentDecode(text: string): string | undefined {
  // Throwing is the only way in which the platform tells that the bytes are no UTF-8.
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * `filter[name][$eq]` → filter, name, $eq. A last `[]` is the empty segment. Of any other form it says what is wrong.
 */
function segmentsOf(key: string): string[] | string {
  const open = key.indexOf('[')
  if (open === -1) return key === '' ? 'needs a name before its value.' : [key]
  if (open === 0) return 'needs a name before its first bracket.'
  const segments = [key.slice(0, open)]
  let at = open
  while (at < key.length) {
    if (key[at] !== '[') return 'has something other than an opening bracket after a closing one.'
    const close = key.indexOf(']', at)
    if (close === -1) return 'has an opening bracket that is not closed.'
    const segment = key.slice(at + 1, close)
    if (segment.includes('[')) return 'has brackets inside each other; they may only follow each other.'
    if (segment === '' && close !== key.length - 1) {
      return 'has empty brackets before its end. Number the items instead: [0], [1] and so on.'
    }
    segments.push(segment)
    if (segments.length > SEGMENTS_MAX) return `has more than ${SEGMENTS_MAX - 1} pairs of brackets.`
    at = close + 1
  }
  return segments
}

/** Puts a value in its place, or says why it cannot be there. */
function place(root: Branch, segments: readonly string[], value: string): string | undefined {
  const listed = segments.at(-1) === ''
  const leaf = listed ? segments.length - 2 : segments.length - 1
  let branch = root
  for (let i = 0; i < leaf; i++) {
    const segment = segments[i] ?? ''
    const next = branch[segment]
    if (next === undefined) {
      const made = emptyBranch()
      branch[segment] = made
      branch = made
    } else if (typeof next === 'string' || Array.isArray(next)) {
      return 'was also sent with fewer brackets and a value; only one of the two can hold.'
    } else branch = next
  }
  const sent = listed ? [value] : value
  return placeLeaf(branch, segments[leaf] ?? '', { sent, repeats: lists.has(segments[0] ?? '') })
}

/** These take lists of names, with or without brackets. Generated clients repeat such a parameter without them. */
const lists: ReadonlySet<string> = new Set(['include', 'sort', 'fields'])

/** A list is added to a list that is already there. */
function placeLeaf(
  branch: Branch,
  name: string,
  { sent, repeats }: { sent: string | string[]; repeats: boolean },
): string | undefined {
  const present = branch[name]
  if (present === undefined) branch[name] = sent
  else if (Array.isArray(sent) && Array.isArray(present)) present.push(...sent)
  else if (repeats && (typeof present === 'string' || Array.isArray(present))) branch[name] = [present, sent].flat()
  else if (Array.isArray(sent) || typeof present !== 'string') return 'was sent in two forms that do not go together.'
  else return 'was sent more than once.'
  return undefined
}

function emptyBranch(): Branch {
  return Object.create(null)
}

function writeInto(pairs: string[], key: string, value: unknown): void {
  if (value === undefined) return
  if (value === null || typeof value !== 'object') {
    pairs.push(`${key}=${value === null ? '' : encode(String(value))}`)
    return
  }
  const entries = Object.entries(value)
  // An empty list must not vanish: without its condition a filter would match more.
  if (entries.length === 0) pairs.push(`${key}=`)
  const plain = Array.isArray(value) && value.every((item) => item === null || typeof item !== 'object')
  for (const [name, item] of entries) writeInto(pairs, `${key}%5B${plain ? '' : encode(name)}%5D`, item)
}

/** Percent-encodes all characters except those that a query may contain and that are readable. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%24|%2C/g, (code) => (code === '%24' ? '$' : ','))
}

/** The pages that `meta.links` shows between "Previous" and "Next". */
export function pageNumbers(current: number, last: number): (number | '...')[] {
  if (last < 14) return range(1, last)
  if (current <= 7) return [...range(1, 10), '...', last - 1, last]
  if (current > last - 7) return [1, 2, '...', ...range(last - 9, last)]
  return [1, 2, '...', ...range(current - 3, current + 3), '...', last - 1, last]
}

type PageLink = { url: string | null; label: string; page: number | null; active: boolean }

export type PageDocumentMeta = {
  links: { first: string; last: string; prev: string | null; next: string | null }
  meta: {
    current_page: number
    from: number | null
    last_page: number
    links: PageLink[]
    path: string
    per_page: number
    to: number | null
    total: number
  }
}

type Page = {
  page: number
  per_page: number
  /** Records of the whole list. */
  total: number
  /** Records on this page. */
  count: number
  path: string
  urlOf: (page: number) => string
}

/** The `links` and `meta` of a list that is read by page. */
export function pageDocumentMeta({ page, per_page, total, count, path, urlOf }: Page): PageDocumentMeta {
  const last = Math.max(1, Math.ceil(total / per_page))
  const from = count === 0 ? null : (page - 1) * per_page + 1
  const previous = stepLink('&laquo; Previous', page > 1 ? page - 1 : null, urlOf)
  const next = stepLink('Next &raquo;', page < last ? page + 1 : null, urlOf)
  const numbered = pageNumbers(page, last).map((number) => numberLink(number, page, urlOf))
  return {
    links: { first: urlOf(1), last: urlOf(last), prev: previous.url, next: next.url },
    meta: {
      current_page: page,
      from,
      last_page: last,
      links: [previous, ...numbered, next],
      path,
      per_page,
      to: from === null ? null : from + count - 1,
      total,
    },
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}

function stepLink(label: string, page: number | null, urlOf: Page['urlOf']): PageLink {
  return { url: page === null ? null : urlOf(page), label, page, active: false }
}

function numberLink(number: number | '...', current: number, urlOf: Page['urlOf']): PageLink {
  if (number === '...') return { url: null, label: '...', page: null, active: false }
  return { url: urlOf(number), label: String(number), page: number, active: number === current }
}
