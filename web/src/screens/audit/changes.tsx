import type { AuditedChange } from '@kith/contract/app/audit'
import { valueWords } from './audit-words.ts'

/** What changed, before and after. */
export function Changes({ changes }: { changes: readonly AuditedChange[] }) {
  return changes.map((change) => (
    <p key={change.field} className="mt-0.5 line-clamp-2 wrap-anywhere text-quiet">
      {change.label}: <del className="text-faint">{valueWords(change.before)}</del> <span aria-hidden>→</span>{' '}
      <ins className="text-ink no-underline">{valueWords(change.after)}</ins>
      {change.truncated && <span className="text-faint"> (shortened)</span>}
    </p>
  ))
}
