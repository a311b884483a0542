import type { Audited } from '@kith/contract/app/audit'
import { Avatar } from '../../components/avatar.tsx'
import { formatAgo, formatMomentExactly } from '../../format/moments.ts'
import { historyWords, sourceWords, valueWords } from '../audit/audit-words.ts'

/** `of` is the record whose history it is. Entries of records that were merged into it name them. */
export function HistoryEntry({ entry, of }: { entry: Audited; of: string }) {
  const who = entry.actor?.name ?? 'The command line'
  return (
    <li className="flex gap-2">
      <Avatar name={who} size={20} />
      <div className="min-w-0 flex-1 text-sm">
        <p>
          <span className="font-medium">{who}</span> <span className="text-quiet">{historyWords(entry)}</span>
          {entry.record_id !== of && <span className="text-quiet"> ({entry.record_name ?? 'a merged record'})</span>}
          <span className="text-faint"> · {sourceWords(entry)}</span>
          <time dateTime={entry.at} title={formatMomentExactly(entry.at)} className="text-faint">
            {' · '}
            {formatAgo(entry.at)}
          </time>
        </p>
        {entry.changes.map((change) => (
          <p key={change.field} className="mt-0.5 line-clamp-2 wrap-anywhere text-quiet">
            {change.label}: <del className="text-faint">{valueWords(change.before)}</del> <span aria-hidden>→</span>{' '}
            <ins className="text-ink no-underline">{valueWords(change.after)}</ins>
            {change.truncated && <span className="text-faint"> (shortened)</span>}
          </p>
        ))}
      </div>
    </li>
  )
}
