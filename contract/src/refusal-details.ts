import type { Issue } from './issue.ts'
import type { RefusalReason } from './refusal.ts'

/** The fields of the response to a refusal, in addition to its message. */
export function refusalDetails(reason: RefusalReason): Record<string, unknown> {
  switch (reason.kind) {
    case 'paused':
      return { upgrade_url: reason.upgrade_url }
    case 'forbidden':
      return reason.reason === undefined ? {} : { reason: reason.reason }
    case 'not_found':
      return reason.merged_into === undefined ? {} : { merged_into: reason.merged_into }
    case 'ambiguous':
      return { matches: reason.matches }
    case 'precondition_failed':
      return {
        updated_at: reason.updated_at,
        ...(reason.matches === undefined ? {} : { matches: reason.matches }),
      }
    case 'gone':
      return { reason: reason.reason, oldest_at: reason.oldest_at, resync: reason.resync }
    case 'too_slow':
      return { expensive: reason.expensive }
    case 'invalid':
      return { errors: errorsByPath(reason.issues) }
    default:
      return {}
  }
}

export function errorsByPath(issues: readonly Issue[]): Record<string, string[]> {
  const errors = new Map<string, string[]>()
  for (const { path, message } of issues) {
    const messages = errors.get(path)
    if (messages) messages.push(message)
    else errors.set(path, [message])
  }
  return Object.fromEntries(errors)
}
