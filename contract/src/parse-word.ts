import type { Report } from './issue.ts'
import { isUnsent } from './raw-input.ts'
import { word } from './shape.ts'

type Words<W extends string> = { name: string; words: readonly W[] }

/** A parameter that is one of some words. Undefined if it was not sent. */
export function parseWord<W extends string>(raw: unknown, { name, words }: Words<W>, report: Report): W | undefined {
  return isUnsent(raw) ? undefined : word(words).parse(raw, name, report)
}
