import type { DeliveryAttempt } from '@kith/contract/webhooks/webhook'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronRight, RotateCcw, Send, X } from 'lucide-react'
import {
  type Delivery,
  type DeliveryPage,
  deliveriesQuery,
  deliveryQuery,
  replay,
  type Webhook,
  webhooksKey,
} from '../../../api/webhooks.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { classNames } from '../../../components/class-names.ts'
import { CodeBlock } from '../../../components/copy.tsx'
import { ConfirmButton, Sheet } from '../../../components/dialog.tsx'
import { Moment } from '../../../components/moment.tsx'
import { Pager } from '../../../components/pager.tsx'
import { Pill } from '../../../components/pill.tsx'
import { EmptyState, ErrorState } from '../../../components/states.tsx'
import { formatMoment } from '../../../format/moments.ts'
import { formatNumber } from '../../../format/numbers.ts'
import { useAction } from '../../../forms/save.ts'
import { RowSkeletons, Rows } from '../page.tsx'
import { attemptWords, deliveryWords, nextTryWords } from './webhook-words.ts'

/** The log of a webhook, all deliveries or the failed ones, a page at a time. */
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
  const replaying = useAction(() => replay(slug, id, { only: 'failed' }), {
    message: replayedWords,
    reload: [webhooksKey(slug)],
  })
  const hasTestsOnly = page.meta.last_page === 1 && page.data.every(({ attributes }) => attributes.sequence === null)
  if (hasTestsOnly) return <p className="text-xs text-faint">Test events are not replayed. Send a new one.</p>
  return (
    <ConfirmButton
      size="small"
      disabled={replaying.isPending}
      question="Replay all failed events?"
      text="Each event that was given up is sent again, with the record as it is now. Test events, and events that were replayed since, are left out."
      action="Replay"
      look="primary"
      onConfirm={() => replaying.mutate()}
    >
      <RotateCcw aria-hidden />
      Replay all failed
    </ConfirmButton>
  )
}

function replayedWords(sent: number): string {
  if (sent === 0) return 'Nothing to replay: these are test events, were replayed since, or are no longer in the feed'
  return `${formatNumber(sent)} ${sent === 1 ? 'event is' : 'events are'} sent again`
}

/** One sent event, with the result of the last attempt. */
function DeliveryLine(props: {
  delivery: Delivery
  /** Whether nothing is sent at the moment. */
  isStopped: boolean
  search: { webhook: string; delivery: string; failed?: true; at?: number }
}) {
  const {
    delivery: { attributes },
    isStopped,
    search,
  } = props
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
            <Moment at={created_at} />
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

/** One delivery with all its attempts: requests and responses. */
function DeliverySheet(props: { webhook: string; id: string; isStopped: boolean; onClose(): void }) {
  const { webhook, id, isStopped, onClose } = props
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(useSlug(), webhook, id))
  const title = delivery?.attributes.type ?? 'Delivery'
  return (
    <Sheet open onOpenChange={onClose} title={title} side="right" className="w-160">
      <p
        aria-hidden
        className="sticky top-0 z-10 flex h-12 items-center border-b border-line bg-raised pr-12 pl-5 text-base font-semibold"
      >
        <span className="truncate">{title}</span>
      </p>
      <div className="grid grid-cols-1 gap-5 p-5">
        {error && !delivery && <ErrorState error={error} onRetry={refetch} />}
        {!delivery && !error && <RowSkeletons />}
        {delivery && <Details webhook={webhook} delivery={delivery} isStopped={isStopped} onReplayed={onClose} />}
      </div>
      <div className="absolute top-2 right-2 z-10">
        {/* Without a tooltip: the first Escape would close that, and not the sheet. */}
        <Button look="quiet" aria-label="Close" className="w-8 px-0" onClick={onClose}>
          <X aria-hidden />
        </Button>
      </div>
    </Sheet>
  )
}

function Details(props: { webhook: string; delivery: Delivery; isStopped: boolean; onReplayed(): void }) {
  const {
    webhook,
    delivery: { attributes },
    isStopped,
    onReplayed,
  } = props
  const { event_id, record_id, sequence, state, replay: isReplay, created_at, next_attempt_at } = attributes
  const attempts = attributes.attempts.toReversed()
  const { label, tint } = deliveryWords[state]
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="grid min-w-0 gap-1 text-sm">
          <p className="flex flex-wrap items-center gap-2">
            <Pill tint={tint}>{label}</Pill>
            <span className="text-quiet">
              {isReplay && 'Replay, '}
              {formatMoment(created_at)}
              {sequence !== null && `, change #${sequence}`}
            </span>
          </p>
          {next_attempt_at !== null && state === 'waiting' && !isStopped && (
            <p className="text-quiet">{nextTryWords(next_attempt_at)}</p>
          )}
          <p className="text-xs text-faint">
            webhook-id <span className="font-mono wrap-anywhere">{event_id}</span>
          </p>
          {record_id !== null && (
            <p className="text-xs text-faint">
              Record <span className="font-mono wrap-anywhere">{record_id}</span>
            </p>
          )}
        </div>
        {sequence !== null && <ReplayOne webhook={webhook} event={event_id} onReplayed={onReplayed} />}
      </div>
      {attempts.length === 0 && <p className="text-sm text-quiet">It was not sent yet.</p>}
      {attempts.map((attempt, place) => (
        <Attempt key={attempt.at} attempt={attempt} number={attempts.length - place} isOpen={place === 0} />
      ))}
    </>
  )
}

function ReplayOne({ webhook, event, onReplayed }: { webhook: string; event: string; onReplayed(): void }) {
  const slug = useSlug()
  const replaying = useAction(() => replay(slug, webhook, { event_id: event }), {
    message: 'The event is sent again',
    next: onReplayed,
    reload: [webhooksKey(slug)],
  })
  return (
    <Button disabled={replaying.isPending} onClick={() => replaying.mutate()}>
      <RotateCcw aria-hidden />
      Replay
    </Button>
  )
}

/** One try, with its request and its response. */
function Attempt({ attempt, number, isOpen }: { attempt: DeliveryAttempt; number: number; isOpen: boolean }) {
  const { at, status, ms, error, request, response } = attempt
  const { what, advice } = attemptWords(attempt)
  return (
    <details open={isOpen} className="group min-w-0 border-t border-line pt-3">
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-2 gap-y-1 rounded-sm text-sm">
        <ChevronRight aria-hidden className="size-4 shrink-0 text-faint transition-transform group-open:rotate-90" />
        <Pill tint={error === null ? 'green' : 'red'}>{status ?? 'No response'}</Pill>
        <span className="font-medium">Try {number}</span>
        <span className="text-xs text-faint">
          <Moment at={at}>{formatMoment(at)}</Moment>, {ms} ms
        </span>
      </summary>
      <div className="mt-3 grid grid-cols-1 gap-4">
        <div className="text-sm">
          <p className="wrap-anywhere">{what}</p>
          {advice !== undefined && <p className="wrap-anywhere text-quiet">{advice}</p>}
        </div>
        <Message title="Request" number={number} message={request} />
        {response && <Message title="Response" number={number} message={response} />}
      </div>
    </details>
  )
}

function Message(props: { title: 'Request' | 'Response'; number: number; message: DeliveryAttempt['request'] }) {
  const {
    title,
    number,
    message: { headers, body },
  } = props
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const where = `${title.toLowerCase()} of try ${number}`
  return (
    <section aria-label={`${title} of try ${number}`} className="grid grid-cols-1 gap-1.5">
      <p className="text-xs font-medium text-quiet">{title}</p>
      {lines.length > 0 && <CodeBlock text={lines.join('\n')} label={`Headers of the ${where}`} />}
      {body === '' ? (
        <p className="text-xs text-faint">Without a body.</p>
      ) : (
        <CodeBlock text={readable(body)} label={`Body of the ${where}`} />
      )}
    </section>
  )
}

/** JSON on several lines. The log keeps the beginning of long bodies only, which is shown as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
