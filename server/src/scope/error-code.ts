/** What the file system says: "permission denied" of "EACCES: permission denied, open '/x'". */
export function fileProblem(error: unknown): string | undefined {
  return error instanceof Error ? /^E[A-Z0-9]+: (.+?), [a-z]+( |$)/.exec(error.message)?.[1] : undefined
}

/** The code of an error of Node or of a driver, such as ENOENT; empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
