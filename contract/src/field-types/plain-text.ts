import type { Place } from '../field-type.ts'
import type { Test } from '../filter.ts'
import { fold, isLongerThan } from '../fold.ts'
import { unstorable } from '../raw-input.ts'
import { isBlank } from './blank.ts'
import { parseOperandText } from './operand-text.ts'

/** Text that is kept as typed. */
export function parsePlainText(raw: unknown, max: number, { field, path, report }: Place): string | null | undefined {
  if (isBlank(raw)) return null
  const problem = problemOf(raw, max)
  if (problem !== undefined) report(path, `The ${field.name} ${problem}.`)
  return problem === undefined && typeof raw === 'string' ? raw : undefined
}

export function containsTest(raw: unknown, { field, path, report }: Place): Test | undefined {
  const part = parseOperandText(raw, { name: field.name, path, report })
  if (part === '') report(path, `The ${field.name} must not be empty: $contains needs a text to look for.`)
  return part ? { test: 'contains', part: fold(part) } : undefined
}

export function foldedText(stored: unknown): string | null {
  return typeof stored === 'string' ? fold(stored) : null
}

function problemOf(raw: unknown, max: number): string | undefined {
  if (typeof raw !== 'string') return 'must be a string'
  if (isLongerThan(raw, max)) return `must not be longer than ${max.toLocaleString('en-US')} characters`
  return unstorable(raw)
}
