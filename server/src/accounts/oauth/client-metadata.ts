import { lengthOf } from '@kith/contract/fold'
import { CLIENT_LIST_MAX, CLIENT_NAME_MAX, LINK_MAX } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'

/** Controls, and marks that change the direction of text: a name with them could look like another one on the page of consent. */
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** What is wrong with the metadata of a program that registers itself, beyond what the library checks. */
export function metadataProblem(body: string): string | undefined {
  const metadata = parsed(body)
  // The library says what else may be wrong with it.
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

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
