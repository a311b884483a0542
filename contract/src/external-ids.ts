import { excerpt } from './excerpt.ts'
import { isLongerThan } from './fold.ts'
import { boundedReport, type Report } from './issue.ts'
import { EXTERNAL_ID_MAX } from './limits.ts'
import { isListEdit, parseListEdit } from './list-edit.ts'
import { isObject, unstorable } from './raw-input.ts'

/** The ids that other systems have for a record, by namespace. Namespaces are sorted, ids are shown as added. */
export type ExternalIds = Record<string, string[]>

/** An id as it was sent, and its path. */
export type SentExternalId = { id: string; path: string }

/** The sent ids of each namespace, each once. An empty list clears the namespace, `null` clears all. */
export type ExternalIdsInput = ReadonlyMap<string, readonly SentExternalId[]> | null

const NAMESPACE = /^[a-z][a-z0-9_-]{0,39}$/

export const NAMESPACE_RULE =
  'A namespace has 1 to 40 of the characters a to z, 0 to 9, _ and -, and begins with a letter.'

export function isNamespace(name: string): boolean {
  return NAMESPACE.test(name)
}

/**
 * Reads the key `external_ids` of a body. Undefined if it was not sent or is no object. `removed` gets what edited
 * namespaces lose; without it, they cannot be edited.
 */
export function parseExternalIds(
  raw: unknown,
  removed: Map<string, readonly string[]> | undefined,
  report: Report,
): ExternalIdsInput | undefined {
  if (raw === undefined || raw === null) return raw
  if (!isObject(raw)) {
    report('external_ids', 'The external_ids must be an object of lists of ids by namespace, or null.')
    return undefined
  }
  const bounded = boundedReport(report)
  const sent = new Map<string, readonly SentExternalId[]>()
  for (const [namespace, value] of Object.entries(raw)) {
    if (bounded.full()) break
    const path = `external_ids.${excerpt(namespace)}`
    if (isNamespace(namespace) && removed && isListEdit(value)) {
      const edit = parseListEdit(value, path, bounded.report)
      const lost = parseIds(edit?.remove, `${path}.$remove`, bounded.report)
      removed.set(
        namespace,
        lost.map(({ id }) => id),
      )
      sent.set(namespace, parseIds(edit?.add, `${path}.$add`, bounded.report))
    } else if (isNamespace(namespace)) sent.set(namespace, parseIds(value, path, bounded.report))
    else bounded.report(path, `The external_ids have no namespace ${excerpt(namespace)}. ${NAMESPACE_RULE}`)
  }
  return sent
}

function parseIds(raw: unknown, path: string, report: Report): SentExternalId[] {
  const items: unknown = typeof raw === 'string' ? [raw] : (raw ?? [])
  if (!Array.isArray(items)) {
    report(path, `The ${path} must be a string, a list of strings, or null.`)
    return []
  }
  const ids = new Map<string, SentExternalId>()
  for (const [index, item] of items.entries()) {
    const itemPath = `${path}.${index}`
    const id = parseExternalId(item, itemPath, report)
    // The first of several equal ids names the path.
    if (id !== undefined && !ids.has(id)) ids.set(id, { id, path: itemPath })
  }
  return [...ids.values()]
}

/** One id, without spaces around it. */
export function parseExternalId(raw: unknown, path: string, report: Report): string | undefined {
  const id = typeof raw === 'string' ? raw.trim() : ''
  const problem = typeof raw === 'string' ? problemOf(id) : 'must be a string'
  if (problem === undefined) return id
  report(path, `The ${path} ${problem}.`)
  return undefined
}

function problemOf(id: string): string | undefined {
  if (id === '') return 'must not be empty'
  if (isLongerThan(id, EXTERNAL_ID_MAX)) return `must not be greater than ${EXTERNAL_ID_MAX} characters`
  return unstorable(id)
}
