/** One problem in a caller's input: its dotted path, and a message in a whole sentence. */
export type Issue = { path: string; message: string }

/** Collects a problem. Parsers report all problems and never throw at the first. */
export type Report = (path: string, message: string) => void

export function reportInto(issues: Issue[]): Report {
  return (path, message) => {
    issues.push({ path, message })
  }
}

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
