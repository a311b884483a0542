import type { Report } from './issue.ts'

const ISSUES_MAX = 100

/** A report that counts, so that a parser can stop once more problems would not help. */
export type BoundedReport = {
  report: Report
  /** Whether anything was reported. */
  failed(): boolean
  /** Whether as much was reported as anybody reads. */
  full(): boolean
}

export function boundedReport(report: Report): BoundedReport {
  let count = 0
  return {
    report(path, message) {
      count++
      if (count <= ISSUES_MAX) report(path, message)
    },
    failed: () => count > 0,
    full: () => count >= ISSUES_MAX,
  }
}
