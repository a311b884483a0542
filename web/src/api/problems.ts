import { KithError } from '@kith/sdk'

/** The problems of a submitted form: per field, and in general. */
export type Problems = {
  at(path: string): readonly string[] | undefined
  /** Everything that no field of the form shows. */
  general: string | undefined
}

/** Sorts a failure by the fields of the form that shows it. */
export function problemsOf(error: Error | null, shown: readonly string[]): Problems {
  if (!error) return { at: () => undefined, general: undefined }
  const errors = error instanceof KithError ? error.errors : {}
  const others = Object.entries(errors).filter(([path]) => !shown.includes(path))
  const general = Object.keys(errors).length === 0 ? told(error) : others.flatMap(([, messages]) => messages).join(' ')
  return { at: (path) => errors[path], general: general === '' ? undefined : general }
}

/**
 * The failure of a query that is shown. Earlier data stays on the screen without a message, unless the same
 * request is refused from now on: its filter names a deleted field, or the user has no access any more.
 */
export function shownFailure({ data, error }: { data: unknown; error: Error | null }): Error | null {
  return data && !(error instanceof KithError && refusals.has(error.kind)) ? null : error
}

const refusals: ReadonlySet<string> = new Set<KithError['kind']>(['invalid', 'not_found', 'forbidden'])

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function told(error: Error): string {
  const seconds = error instanceof KithError ? error.retry_after : null
  // Some messages say it themselves.
  if (seconds === null || error.message.includes(` ${seconds} s`)) return error.message
  return `${error.message} Try again in ${seconds < 100 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`}.`
}
