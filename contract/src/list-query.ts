import { type AnswerOptions, parseAnswer, type QueryContext, reportUnknown } from './answer-options.ts'
import { boundedReport } from './bounded-report.ts'
import type { Condition } from './filter.ts'
import type { Report } from './issue.ts'
import { PAGE_MAX, PER_PAGE_DEFAULT, PER_PAGE_MAX } from './limits.ts'
import { parseFilter } from './parse-filter.ts'
import { isUnsent } from './raw-input.ts'
import { parseSort, type SortKey } from './sort.ts'
import { parseWhole } from './whole-number.ts'

type Paging =
  | { by: 'page'; page: number }
  /** The first page where the cursor is null. */
  | { by: 'cursor'; cursor: string | null }

export type ListQuery = AnswerOptions & {
  per_page: number
  paging: Paging
  sort: readonly SortKey[]
  filter?: Condition
}

export const listParameters = ['per_page', 'page', 'cursor', 'sort', 'include', 'fields', 'filter'] as const

/** Reads the parameters of a list, from a query string or from the body of a query. */
export function parseListQuery(raw: Record<string, unknown>, context: QueryContext, report: Report): ListQuery {
  const bounded = boundedReport(report)
  reportUnknown(raw, listParameters, bounded)
  const per_page = parseWhole(raw.per_page, { name: 'per_page', max: PER_PAGE_MAX }, bounded.report) ?? PER_PAGE_DEFAULT
  const paging = parsePaging(raw, bounded.report)
  const { resource, definitions, loose } = context
  const cursor = paging.by === 'cursor'
  const sort = parseSort(raw.sort, { resource, fields: definitions[resource.type], cursor, loose }, bounded)
  const answer = parseAnswer(raw, context, bounded)
  const filter = parseFilter(raw.filter, context, bounded.report)
  return { per_page, paging, sort, ...answer, filter }
}

function parsePaging(raw: Record<string, unknown>, report: Report): Paging {
  const page = parseWhole(raw.page, { name: 'page', max: PAGE_MAX }, report)
  if (isUnsent(raw.cursor)) return { by: 'page', page: page ?? 1 }
  if (!isUnsent(raw.page)) report('page', 'The page cannot be sent together with cursor. Send one of the two.')
  return { by: 'cursor', cursor: parseCursor(raw.cursor, report) }
}

/** Whether a cursor belongs to this list is for those to say who made it. */
function parseCursor(raw: unknown, report: Report): string | null {
  if (raw === true || raw === 'true') return null
  if (typeof raw === 'string') return raw
  report('cursor', 'The cursor must be true for the first page, or the next_cursor of the previous page.')
  return null
}
