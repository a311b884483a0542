import type { Report } from './issue.ts'
import { suggestion } from './nearest.ts'
import { isUnsent } from './raw-input.ts'

type Words<W extends string> = { name: string; words: readonly W[] }

/** A parameter that is one of some words. Undefined if it was not sent. */
export function parseWord<W extends string>(raw: unknown, { name, words }: Words<W>, report: Report): W | undefined {
  if (isUnsent(raw)) return undefined
  const word = words.find((one) => one === raw)
  const near = typeof raw === 'string' ? suggestion(raw, words) : ''
  if (word === undefined) report(name, `The ${name} must be one of: ${words.join(', ')}.${near}`)
  return word
}
