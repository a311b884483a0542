import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { RotateCcw, Send } from 'lucide-react'
import { useState } from 'react'
import { type DeliveryPage, deliveriesQuery, replay, type Webhook, webhooksKey } from '../../../api/webhooks.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { classNames } from '../../../components/class-names.ts'
import { Confirm } from '../../../components/confirm.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorState } from '../../../components/error-state.tsx'
import { Pager } from '../../../components/pager.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { formatNumber } from '../../../format/numbers.ts'
import { Rows } from '../page.tsx'
import { RowSkeletons } from '../page-skeleton.tsx'
import { DeliveryLine } from './delivery-line.tsx'
import { DeliverySheet } from './delivery-sheet.tsx'

/** The log of a webhook, all of it or what failed, a page at a time. */
export function Deliveries({ webhook: { id, attributes } }: { webhook: Webhook }) {
  const slug = useSlug()
  const navigate = useNavigate()
  const { failed, at: page, delivery } = useSearch({ from: '/$workspace/settings/$page' })
  const shown = { webhook: id, ...(failed && { failed }), ...(page !== undefined && { at: page }) }
  const log = useQuery(deliveriesQuery(slug, id, { state: failed ? 'failed' : undefined, page }))
  const { data: found, error, refetch } = log
  const isStopped = attributes.state === 'paused' || attributes.state === 'disabled'
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line">
        <nav aria-label="Deliveries" className="flex gap-4">
          <LogTab id={id} failed={false} active={!failed} />
          <LogTab id={id} failed active={failed ?? false} />
        </nav>
        {failed && found && found.meta.total > 0 && <ReplayFailed id={id} page={found} />}
      </div>
      {error && !found && <ErrorState error={error} onRetry={refetch} />}
      {!found && !error && <RowSkeletons />}
      {found?.data.length === 0 && (
        <EmptyState
          icon={Send}
          title={failed ? 'Nothing failed' : 'No deliveries yet'}
          text={failed ? 'Events that were given up are listed here.' : 'Send a test event, or change a record.'}
        />
      )}
      {found && found.data.length > 0 && (
        <>
          <Rows label="Deliveries">
            {found.data.map((one) => (
              <DeliveryLine key={one.id} delivery={one} isStopped={isStopped} search={{ ...shown, delivery: one.id }} />
            ))}
          </Rows>
          <Pager
            page={found.meta.current_page}
            pages={found.meta.last_page}
            onPage={(at) => navigate({ to: '.', search: { ...shown, at } })}
          />
        </>
      )}
      {delivery !== undefined && (
        <DeliverySheet
          key={delivery}
          webhook={id}
          id={delivery}
          isStopped={isStopped}
          onClose={() => navigate({ to: '.', search: shown, replace: true })}
        />
      )}
    </>
  )
}

function LogTab({ id, failed, active }: { id: string; failed: boolean; active: boolean }) {
  return (
    <Link
      to="."
      search={{ webhook: id, ...(failed && { failed: true as const }) }}
      replace
      aria-current={active ? 'page' : undefined}
      className={classNames(
        'flex h-9 items-center border-b-2 text-sm whitespace-nowrap -outline-offset-2',
        active ? 'border-accent text-ink' : 'border-transparent text-quiet hover:text-ink',
      )}
    >
      {failed ? 'Failed' : 'All'}
    </Link>
  )
}

/** Sends everything that was given up once more. Test events are no changes, so there is nothing to replay. */
function ReplayFailed({ id, page }: { id: string; page: DeliveryPage }) {
  const slug = useSlug()
  const queries = useQueryClient()
  const [asking, setAsking] = useState(false)
  const replaying = useMutation({
    mutationFn: () => replay(slug, id, { only: 'failed' }),
    onSuccess: (sent) => showToast({ message: replayedWords(sent) }),
    onError: ({ message }) => showToast({ tone: 'danger', message }),
    onSettled: () => queries.invalidateQueries({ queryKey: webhooksKey(slug) }),
  })
  const hasTestsOnly = page.meta.last_page === 1 && page.data.every(({ attributes }) => attributes.sequence === null)
  if (hasTestsOnly) return <p className="text-xs text-faint">Test events are not replayed. Send a new one.</p>
  return (
    <>
      <Button size="small" disabled={replaying.isPending} onClick={() => setAsking(true)}>
        <RotateCcw aria-hidden />
        Replay all failed
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title="Replay all failed events?"
        action="Replay"
        look="primary"
        onConfirm={() => replaying.mutate()}
      >
        Each event that was given up is sent again, with the record as it is now. Test events, and events that were
        replayed since, are left out.
      </Confirm>
    </>
  )
}

function replayedWords(sent: number): string {
  if (sent === 0) return 'Nothing to replay: these are test events, were replayed since, or are no longer in the feed'
  return `${formatNumber(sent)} ${sent === 1 ? 'event is' : 'events are'} sent again`
}
