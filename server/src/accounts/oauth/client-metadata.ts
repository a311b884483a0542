import { lengthOf } from '@kith/contract/fold'
import { CLIENT_LIST_MAX, CLIENT_NAME_MAX, LINK_MAX } from '@kith/contract/limits'
import { isObject, parseJson } from '@kith/contract/raw-input'

/** Control characters and direction marks: with them a name could imitate another one on the consent page. */
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** Problems in the metadata of a new client that better-auth does not check. */
export function metadataProblem(body: string): string | undefined {
  const metadata = parseJson(body)
  // better-auth reports everything else.
  if (!isObject(metadata)) return undefined
  for (const [key, value] of Object.entries(metadata)) {
    const problem = valueProblem(key, value)
    if (problem !== undefined) return `The ${key.replaceAll(/[^\w-]/g, '?').slice(0, 50)} ${problem}.`
  }
  return undefined
}

function valueProblem(key: string, value: unknown): string | undefined {
  if (typeof value === 'string') return textProblem(value, key === 'client_name' ? CLIENT_NAME_MAX : LINK_MAX)
  if (!Array.isArray(value)) return undefined
  if (value.length > CLIENT_LIST_MAX) return `must not have more than ${CLIENT_LIST_MAX} items`
  for (const item of value) {
    const problem = typeof item === 'string' ? textProblem(item, LINK_MAX) : undefined
    if (problem !== undefined) return problem
  }
  return undefined
}

function textProblem(text: string, max: number): string | undefined {
  if (lengthOf(text) > max) return `must not be greater than ${max} characters`
  return INVISIBLE.test(text) ? 'must not contain control characters or direction marks' : undefined
}
