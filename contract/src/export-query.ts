import { type FieldSelection, parseAnswer, type QueryContext, reportUnknown } from './answer-options.ts'
import { excerpt } from './excerpt.ts'
import type { Condition } from './filter.ts'
import { parseId } from './id.ts'
import { boundedReport, type Report } from './issue.ts'
import { parseFilter } from './parse-filter.ts'
import { parseWord } from './parse-word.ts'
import { isUnsent } from './raw-input.ts'

export const exportFormats = ['ndjson', 'csv'] as const
export type ExportFormat = (typeof exportFormats)[number]

export type ExportQuery = {
  format: ExportFormat
  /** Only records with a higher id; empty for all. */
  after: string
  filter?: Condition
  fields: FieldSelection
}

const exportParameters = ['filter', 'fields', 'after', 'format']

/** Reads the parameters of an export. It has one order and all records, so that it takes no sort and no page. */
export function parseExport(raw: Record<string, unknown>, context: QueryContext, report: Report): ExportQuery {
  const bounded = boundedReport(report)
  reportUnknown(raw, exportParameters, bounded)
  return {
    format: parseWord(raw.format, { name: 'format', words: exportFormats }, bounded.report) ?? 'ndjson',
    after: parseAfter(raw.after, bounded.report),
    fields: parseAnswer({ fields: raw.fields }, context, bounded).fields,
    filter: parseFilter(raw.filter, context, bounded.report),
  }
}

function parseAfter(raw: unknown, report: Report): string {
  if (isUnsent(raw)) return ''
  const id = parseId(raw)
  if (id === undefined) {
    const sent = typeof raw === 'string' ? `, not ${excerpt(raw)}` : ''
    report('after', `The after must be the ID of the last record that was read${sent}.`)
  }
  return id ?? ''
}
