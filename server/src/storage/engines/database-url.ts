import { resolve } from 'node:path'

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url)
}

/** The file that `file:` and a path name. */
export function sqlitePath(url: string): string {
  return resolve(url.replace(/^file:(\/\/)?/, ''))
}
