import type { OpenSession } from '@kith/contract/app/session'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Laptop, Smartphone } from 'lucide-react'
import { endOtherSessions, endSession, openSessionsQuery } from '../../../api/account.ts'
import { Button } from '../../../components/button.tsx'
import { ErrorState } from '../../../components/error-state.tsx'
import { Pill } from '../../../components/pill.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { formatAgo, formatMoment, formatMomentExactly } from '../../../format/moments.ts'
import { Rows, Section } from '../page.tsx'
import { RowSkeletons } from '../page-skeleton.tsx'
import { deviceOf, isHandheld } from './user-agent.ts'

/** The sessions of the user, with buttons to end them. */
export function Sessions() {
  const queries = useQueryClient()
  const { data: sessions, error, refetch } = useQuery(openSessionsQuery)
  const refresh = () => queries.invalidateQueries({ queryKey: openSessionsQuery.queryKey })
  const failed = ({ message }: Error) => showToast({ tone: 'danger', message })
  const ending = useMutation({ mutationFn: endSession, onError: failed, onSettled: refresh })
  const endingOthers = useMutation({
    mutationFn: endOtherSessions,
    onSuccess: () => showToast({ message: 'All other sessions have ended.' }),
    onError: failed,
    onSettled: refresh,
  })
  const others = sessions?.some(({ current }) => !current) ?? false
  return (
    <Section
      title="Sessions"
      text="The browsers in which you are signed in."
      extra={
        <Button disabled={!others || endingOthers.isPending} onClick={() => endingOthers.mutate()}>
          End all others
        </Button>
      }
    >
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!sessions && !error && <RowSkeletons count={2} />}
      {sessions && (
        <Rows label="Sessions">
          {sessions.map((session) => (
            <SessionRow
              key={session.id}
              session={session}
              busy={ending.isPending}
              onEnd={() => ending.mutate(session.id)}
            />
          ))}
        </Rows>
      )}
    </Section>
  )
}

function SessionRow({ session, busy, onEnd }: { session: OpenSession; busy: boolean; onEnd(): void }) {
  const { user_agent, ip_address, last_used_at, created_at, current } = session
  const Icon = isHandheld(user_agent) ? Smartphone : Laptop
  const device = deviceOf(user_agent)
  return (
    <li className="flex items-center gap-3 py-3">
      <Icon aria-hidden strokeWidth={1.5} className="size-5 shrink-0 text-faint" />
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2 text-sm font-medium">
          <span title={user_agent ?? undefined} className="truncate">
            {device}
          </span>
          {current && <Pill tint="green">This one</Pill>}
        </p>
        <p className="truncate text-xs text-faint" title={`Signed in ${formatMoment(created_at)}`}>
          {ip_address && `${ip_address} · `}
          <time dateTime={last_used_at} title={formatMomentExactly(last_used_at)}>
            {current ? 'Active now' : `Last used ${formatAgo(last_used_at)}`}
          </time>
        </p>
      </div>
      {!current && (
        <Button size="small" disabled={busy} aria-label={`End the session ${device}`} onClick={onEnd}>
          End
        </Button>
      )}
    </li>
  )
}
