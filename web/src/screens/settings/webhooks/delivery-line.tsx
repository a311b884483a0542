import { Link } from '@tanstack/react-router'
import type { Delivery } from '../../../api/webhooks.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Pill } from '../../../components/pill.tsx'
import { formatAgo, formatMomentExactly } from '../../../format/moments.ts'
import { attemptWords } from './attempt-words.ts'
import { deliveryWords, nextTryWords } from './webhook-words.ts'

type Search = { webhook: string; delivery: string; failed?: true; at?: number }

type Props = {
  delivery: Delivery
  /** Whether nothing is sent at the moment. */
  isStopped: boolean
  search: Search
}

/** One event that was sent, with what came of the last attempt. */
export function DeliveryLine({ delivery: { attributes }, isStopped, search }: Props) {
  const { type, sequence, state, replay, created_at, next_attempt_at, attempts } = attributes
  const last = attempts.at(-1)
  const { label, tint } = deliveryWords[state]
  return (
    <li>
      <Link
        to="/$workspace/settings/$page"
        params={{ workspace: useSlug(), page: 'webhooks' }}
        search={search}
        resetScroll={false}
        className="-mx-2 flex items-start gap-3 rounded-md px-2 py-2.5 hover:bg-hover"
      >
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 text-sm">
            <span className="font-mono text-xs font-medium wrap-anywhere">{type}</span>
            {replay && <span className="text-xs text-quiet">Replay</span>}
          </p>
          {last && last.error !== null && (
            <p className="mt-0.5 text-xs wrap-anywhere text-danger">{attemptWords(last).what}</p>
          )}
          <p className="mt-0.5 text-xs text-faint">
            {sequence !== null && <span className="tabular-nums">#{sequence} · </span>}
            <time dateTime={created_at} title={formatMomentExactly(created_at)}>
              {formatAgo(created_at)}
            </time>
            {attempts.length > 1 && ` · ${attempts.length} tries`}
            {last?.error === null && ` · ${last.status} in ${last.ms} ms`}
            {state === 'waiting' && !isStopped && next_attempt_at !== null && ` · ${nextTryWords(next_attempt_at)}`}
          </p>
        </div>
        <Pill tint={tint}>{label}</Pill>
      </Link>
    </li>
  )
}
