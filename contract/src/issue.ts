/** One problem in a caller's input: where it stands (dotted path) and what is wrong, in a whole sentence. */
export type Issue = { path: string; message: string }

/** Takes a problem and goes on: every parser reports all it finds and never throws at the first. */
export type Report = (path: string, message: string) => void

export function reportInto(issues: Issue[]): Report {
  return (path, message) => {
    issues.push({ path, message })
  }
}
