import { excerpt } from './excerpt.ts'
import type { Report } from './issue.ts'
import { isObject } from './raw-input.ts'

/** An edit of a list: what is removed from it, and what is added at its end. */
type ListEdit<T> = { add: T[]; remove: T[] }

const keys = ['$add', '$remove']

/** Whether a value is `{"$add": […], "$remove": […]}` instead of a list. */
export function isListEdit(raw: unknown): raw is Record<string, unknown> {
  return isObject(raw) && (Object.keys(raw).length === 0 || Object.keys(raw).some((key) => key.startsWith('$')))
}

/** The items that an edit adds, or those of a list, or the single item. */
export function addedItems(sent: unknown): readonly unknown[] {
  const list = isListEdit(sent) ? (sent.$add ?? []) : sent
  return Array.isArray(list) ? list : [list]
}

/** Reads an edit. Its items are read by the caller. Undefined if a problem was reported. */
export function parseListEdit(
  raw: Record<string, unknown>,
  path: string,
  report: Report,
): ListEdit<unknown> | undefined {
  const sent = Object.keys(raw)
  const unknown = sent.filter((key) => !keys.includes(key))
  for (const key of unknown) report(`${path}.${excerpt(key)}`, `The ${path} takes ${keys.join(' and ')}.`)
  if (sent.length === 0) report(path, `The ${path} must be a list, or have ${keys.join(' or ')}.`)
  const [add, remove] = keys.map((key) => (raw[key] === undefined ? [] : raw[key]))
  if (!Array.isArray(add)) report(`${path}.$add`, `The ${path}.$add must be a list.`)
  if (!Array.isArray(remove)) report(`${path}.$remove`, `The ${path}.$remove must be a list.`)
  if (unknown.length > 0 || sent.length === 0 || !Array.isArray(add) || !Array.isArray(remove)) return undefined
  return { add, remove }
}
