/** One problem in a caller's input: its dotted path, and what is wrong in a whole sentence. */
export type Issue = { path: string; message: string }

/** Collects a problem. Parsers report all problems and never throw at the first. */
export type Report = (path: string, message: string) => void

export function reportInto(issues: Issue[]): Report {
  return (path, message) => {
    issues.push({ path, message })
  }
}
