import type { Refusal } from '@kith/contract/refusal'

/** Tells a model what to change: every problem with its path. */
export function refusalText({ reason, message }: Refusal): string {
  switch (reason.kind) {
    case 'invalid':
      return [
        'Refused; nothing was changed.',
        ...reason.issues.map((issue) => `- ${issue.path}: ${issue.message}`),
      ].join('\n')
    case 'not_found':
      return reason.merged_into === undefined
        ? message
        : `${message} It was merged; use this record instead. merged_into: ${JSON.stringify(reason.merged_into)}`
    case 'ambiguous':
      return `${message} Nothing was written. The records: ${reason.matches.join(', ')}.`
    default:
      return message
  }
}
