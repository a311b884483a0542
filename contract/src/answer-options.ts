import { type BoundedReport, boundedReport } from './bounded-report.ts'
import { excerpt } from './excerpt.ts'
import type { Definitions } from './field-definition.ts'
import { type FieldSelection, parseFields } from './field-selection.ts'
import type { Report } from './issue.ts'
import { suggestion } from './nearest.ts'
import { isUnsent, listNames } from './raw-input.ts'
import { includeNames, type Resource } from './resource.ts'

/** What a caller may say about the records of an answer, on every endpoint that answers with records. */
export type AnswerOptions = { include: readonly string[]; fields: FieldSelection }

/** `loose` is set for query strings, where everything arrives as text. */
export type QueryContext = { resource: Resource; definitions: Definitions; loose: boolean }

export const answerParameters = ['include', 'fields'] as const

/** Reads the parameters of read, create, update and upsert. */
export function parseAnswerOptions(raw: Record<string, unknown>, context: QueryContext, report: Report): AnswerOptions {
  const bounded = boundedReport(report)
  reportUnknown(raw, answerParameters, bounded)
  return parseAnswer(raw, context, bounded)
}

export function parseAnswer(
  raw: Record<string, unknown>,
  context: QueryContext,
  bounded: BoundedReport,
): AnswerOptions {
  return { include: parseInclude(raw.include, context, bounded), fields: parseFields(raw.fields, context, bounded) }
}

/** Nothing unknown is ignored: reports every parameter that is not accepted. */
export function reportUnknown(
  raw: Record<string, unknown>,
  accepted: readonly string[],
  { report, full }: BoundedReport,
): void {
  for (const name of Object.keys(raw)) {
    if (accepted.includes(name)) continue
    const sent = excerpt(name)
    const near = suggestion(name, accepted)
    report(sent, `The parameter ${sent} is not known. Accepted: ${accepted.join(', ')}.${near}`)
    if (full()) return
  }
}

function parseInclude(raw: unknown, { resource, loose }: QueryContext, bounded: BoundedReport): readonly string[] {
  const { report, full } = bounded
  if (isUnsent(raw)) return []
  const names = listNames(raw, loose)
  if (names === undefined) {
    report('include', 'The include must be names joined by commas or a list of names.')
    return []
  }
  const accepted = includeNames(resource)
  const include = new Set<string>()
  for (const name of names) {
    if (full()) break
    if (accepted.includes(name)) include.add(name)
    else {
      const near = suggestion(name, accepted)
      report(
        'include',
        `The ${resource.type} cannot include ${excerpt(name)}. Accepted: ${accepted.join(', ')}.${near}`,
      )
    }
  }
  return [...include]
}
