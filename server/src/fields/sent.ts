import { excerpt } from '@kith/contract/excerpt'
import type { Report } from '@kith/contract/issue'
import { suggestion } from '@kith/contract/nearest'

/** What a caller sent, by key. What is undefined was not sent. */
export type Sent = ReadonlyMap<string, unknown>

/** Reads the keys of an input and reports those that are not accepted. `path` is the place of a nested object. */
export function parseSent(
  input: unknown,
  { accepted, path = '' }: { accepted: readonly string[]; path?: string },
  report: Report,
): Sent {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    report(path || 'body', path ? `The ${path} must be an object.` : 'The request body must be a JSON object.')
    return new Map()
  }
  const sent = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  for (const key of sent.keys()) {
    if (accepted.includes(key)) continue
    const name = excerpt(key)
    const known = accepted.length === 0 ? 'Nothing is accepted there.' : `Accepted: ${accepted.join(', ')}.`
    report(join(path, name), `The ${join(path, name)} key is not known here. ${known}${suggestion(key, accepted)}`)
  }
  return sent
}

/** The value of a key that was sent and is valid, otherwise its value from before. */
export function taken<T>({ sent, key, before }: Key<T>, parse: (raw: unknown) => T | undefined): T {
  if (!sent.has(key)) return before
  const value = parse(sent.get(key))
  return value === undefined ? before : value
}

type Key<T> = { sent: Sent; key: string; before: T }

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}
