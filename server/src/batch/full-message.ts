import { Refusal, type RefusalReason } from '@kith/contract/refusal'

/** The message of a refusal with the ids that a single response has next to it. */
export function fullMessage(reason: RefusalReason): string {
  const { message } = new Refusal(reason)
  if (reason.kind === 'ambiguous') return `${message} They are ${reason.matches.join(', ')}.`
  if (reason.kind !== 'not_found' || !reason.merged_into) return message
  return `${message} It was merged into ${reason.merged_into.id}.`
}
