/** What the address of a report says: the period and the person of all its charts. */
export type ReportFilter = { period?: string; person?: string }

/** Reads an address. What is not valid is left out, so that an old link still opens the report. */
export function parseReportFilter({ period, person }: Record<string, unknown>): ReportFilter {
  return {
    ...(typeof period === 'string' && PERIOD.test(period) && { period }),
    ...(typeof person === 'string' && person !== '' && { person }),
  }
}

/** A word such as `this_quarter`, or two days. */
const PERIOD = /^(?:(?:this|last|next)_[a-z0-9_]+|yesterday|today|tomorrow|\d{4}-\d\d-\d\d\.\.\d{4}-\d\d-\d\d)$/
