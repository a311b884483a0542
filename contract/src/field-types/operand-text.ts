import { isLongerThan } from '../fold.ts'
import type { Report } from '../issue.ts'
import { FILTER_OPERAND_MAX } from '../limits.ts'
import { unstorable } from '../raw-input.ts'

/** The path of an operand. `name` is its name in messages. */
export type NamedPlace = { name: string; path: string; report: Report }

/** A filter operand that must be text, within the limits for all of them. */
export function parseOperandText(raw: unknown, { name, path, report }: NamedPlace): string | undefined {
  const problem = problemOf(raw)
  if (problem !== undefined) report(path, `The ${name} ${problem}.`)
  return problem === undefined && typeof raw === 'string' ? raw : undefined
}

function problemOf(raw: unknown): string | undefined {
  if (typeof raw !== 'string') return 'must be a string'
  if (isLongerThan(raw, FILTER_OPERAND_MAX)) return `must not be longer than ${FILTER_OPERAND_MAX} characters`
  return unstorable(raw)
}
