import { excerpt } from '@kith/contract/excerpt'
import { lengthOf } from '@kith/contract/fold'
import type { Report } from '@kith/contract/issue'
import { suggestion } from '@kith/contract/nearest'
import { unstorable } from '@kith/contract/raw-input'

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

const DESCRIPTION_MAX = 1000

/** A trimmed text that must not be empty. */
export function parseLine(raw: unknown, { key, max }: { key: string; max: number }, report: Report) {
  if (raw !== null && typeof raw !== 'string') {
    report(key, `The ${key} must be a string.`)
    return undefined
  }
  const text = raw?.trim() ?? ''
  const problem = unstorable(text)
  if (text === '') report(key, `The ${key} must not be empty.`)
  else if (lengthOf(text) > max) report(key, `The ${key} must not be longer than ${max} characters.`)
  else if (problem) report(key, `The ${key} ${problem}.`)
  else return text
  return undefined
}

export function parseDescription(raw: unknown, report: Report): string | null | undefined {
  if (raw === null || (typeof raw === 'string' && raw.trim() === '')) return null
  return parseLine(raw, { key: 'description', max: DESCRIPTION_MAX }, report)
}

/** Null switches off. */
export function parseFlag(raw: unknown, key: string, report: Report): boolean | undefined {
  if (raw === null) return false
  if (typeof raw === 'boolean') return raw
  report(key, `The ${key} must be true or false.`)
  return undefined
}

export function parseWhole(
  raw: unknown,
  { key, from, to }: { key: string; from: number; to: number },
  report: Report,
): number | undefined {
  if (typeof raw === 'number' && Number.isInteger(raw) && raw >= from && raw <= to) return raw
  report(key, `The ${key} must be a whole number from ${from} to ${to}.`)
  return undefined
}
