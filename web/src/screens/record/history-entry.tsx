import { Avatar } from '../../components/avatar.tsx'
import { formatAgo, formatMomentExactly } from '../../format/moments.ts'
import { actionOf, doorOf, type Entry, wordsOf } from './history-words.ts'

export function HistoryEntry({ entry }: { entry: Entry }) {
  const who = entry.actor?.name ?? 'Someone who left'
  const door = doorOf(entry)
  return (
    <li className="flex gap-2">
      <Avatar name={who} size={20} />
      <div className="min-w-0 flex-1 text-sm">
        <p>
          <span className="font-medium">{who}</span> <span className="text-quiet">{actionOf(entry)}</span>
          {door && <span className="text-faint"> · {door}</span>}
          <time dateTime={entry.at} title={formatMomentExactly(entry.at)} className="text-faint">
            {' · '}
            {formatAgo(entry.at)}
          </time>
        </p>
        {entry.changes.map((change) => (
          <p key={change.field} className="mt-0.5 line-clamp-2 wrap-anywhere text-quiet">
            {change.label}: <del className="text-faint">{wordsOf(change.before)}</del> <span aria-hidden>→</span>{' '}
            <ins className="text-ink no-underline">{wordsOf(change.after)}</ins>
          </p>
        ))}
      </div>
    </li>
  )
}
