import { reportUnknown } from './answer-options.ts'
import { boundedReport } from './bounded-report.ts'
import type { Report } from './issue.ts'
import { PAGE_MAX, PER_PAGE_DEFAULT, PER_PAGE_MAX } from './limits.ts'
import { parseWhole } from './whole-number.ts'

export type PageQuery = { page: number; per_page: number }

/** Reads the parameters of a list that has pages only. `others` are the names that the caller reads itself. */
export function parsePageQuery(raw: Record<string, unknown>, others: readonly string[], report: Report): PageQuery {
  reportUnknown(raw, [...others, 'per_page', 'page'], boundedReport(report))
  return {
    per_page: parseWhole(raw.per_page, { name: 'per_page', max: PER_PAGE_MAX }, report) ?? PER_PAGE_DEFAULT,
    page: parseWhole(raw.page, { name: 'page', max: PAGE_MAX }, report) ?? 1,
  }
}
