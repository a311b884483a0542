import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { triesQuery, updateWebhook, type Webhook, webhooksKey } from '../../../api/webhooks.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { classNames } from '../../../components/class-names.ts'
import { ConfirmButton } from '../../../components/dialog.tsx'
import { Moment } from '../../../components/moment.tsx'
import { formatAgo, formatMomentExactly } from '../../../format/moments.ts'
import { formatNumber } from '../../../format/numbers.ts'
import { useAction } from '../../../forms/save.ts'
import { Progress } from './webhook-line.tsx'
import { attemptWords, failedLast, nextTryWords, reasonWords } from './webhook-words.ts'

/** Whether events arrive. If they don't: what failed, when the next try is, and what to do. */
export function WebhookHealth({ webhook }: { webhook: Webhook }) {
  const { state, reason } = webhook.attributes
  const lag = (
    <p className="text-sm text-quiet">
      <Progress attributes={webhook.attributes} />
    </p>
  )
  if (state === 'disabled') {
    const words = reason === null ? undefined : reasonWords[reason]
    return (
      <Panel tone="danger" title="Disabled: nothing is sent">
        {words && <p className="text-sm wrap-anywhere">{words.why}</p>}
        {words && <p className="text-sm wrap-anywhere">{words.advice}</p>}
        {reason === 'failing' && <LastFailure id={webhook.id} isStopped />}
        {lag}
        {reason !== 'creator' && <ContinueButtons webhook={webhook} />}
      </Panel>
    )
  }
  if (state === 'paused') {
    return (
      <Panel tone="plain" title="Paused: nothing is sent">
        <p className="text-sm">Changes are kept in the feed. When you resume it, it continues where it stopped.</p>
        {lag}
      </Panel>
    )
  }
  if (state === 'failing') {
    return (
      <Panel tone="danger" title="Failing: the receiver does not accept events">
        <LastFailure id={webhook.id} />
        <p className="text-sm">
          One event at a time is tried. Nothing is lost, and the first success continues with everything that waits.
          After five days of only failures the webhook is disabled.
        </p>
        {lag}
        <TryNow id={webhook.id} />
      </Panel>
    )
  }
  if (failedLast(webhook.attributes)) return <Retrying id={webhook.id} lag={lag} />
  return <div className="mt-4">{lag}</div>
}

/** Some events failed, and others may arrive. Nothing is said about those that were given up: the log lists them. */
function Retrying({ id, lag }: { id: string; lag: ReactNode }) {
  const { data: tries } = useQuery(triesQuery(useSlug(), id))
  if (!tries || tries.waiting === 0) return <div className="mt-4">{lag}</div>
  return (
    <Panel tone="warning" title="The last try failed">
      <LastFailure id={id} />
      <p className="text-sm">Events of other records continue meanwhile.</p>
      {lag}
    </Panel>
  )
}

const tones = {
  danger: 'bg-danger-soft',
  warning: 'bg-warning-soft',
  plain: 'bg-sunk',
} as const

const titles = { danger: 'text-danger', warning: 'text-warning', plain: 'text-ink' } as const

function Panel({ tone, title, children }: { tone: keyof typeof tones; title: string; children: ReactNode }) {
  return (
    <section aria-label="State" className={classNames('mt-4 grid gap-2 rounded-md px-4 py-3', tones[tone])}>
      <h3 className={classNames('text-sm font-semibold', titles[tone])}>{title}</h3>
      {children}
    </section>
  )
}

/** What failed last, what to do about it, and when it is tried again unless nothing is sent any more. */
function LastFailure({ id, isStopped = false }: { id: string; isStopped?: boolean }) {
  const { data: tries } = useQuery(triesQuery(useSlug(), id))
  if (!tries?.last_failure) return null
  const { last_failure: last, next_attempt_at: next, waiting } = tries
  const { what, advice } = attemptWords(last)
  return (
    <>
      <p className="text-sm wrap-anywhere">
        <Moment at={last.at}>Last try, {formatAgo(last.at)}:</Moment> <strong className="font-medium">{what}</strong>
        {next !== null && !isStopped && <span title={formatMomentExactly(next)}> {nextTryWords(next)}</span>}
      </p>
      {advice !== undefined && <p className="text-sm wrap-anywhere">{advice}</p>}
      {waiting > 0 && !isStopped && (
        <p className="text-sm">
          {formatNumber(waiting)} {waiting === 1 ? 'event waits' : 'events wait'} for another try.
        </p>
      )}
    </>
  )
}

function TryNow({ id }: { id: string }) {
  const change = useStateChange(id)
  return (
    <div className="mt-1">
      <Button disabled={change.isPending} onClick={() => change.mutate({ state: 'active' })}>
        Try again now
      </Button>
    </div>
  )
}

/** Two ways out of the disabled state. Skipping the waiting events asks first. */
function ContinueButtons({ webhook: { id, attributes } }: { webhook: Webhook }) {
  const change = useStateChange(id)
  const { behind } = attributes.position
  return (
    <div className="mt-1 flex flex-wrap gap-2">
      <Button look="primary" disabled={change.isPending} onClick={() => change.mutate({ state: 'active' })}>
        Continue where it stopped
      </Button>
      <ConfirmButton
        disabled={change.isPending}
        question="Continue from now?"
        text={
          behind === 0
            ? 'Events that wait for another try are given up.'
            : `The ${formatNumber(behind)} ${behind === 1 ? 'change' : 'changes'} that it is behind are not sent. Events that wait for another try are given up.`
        }
        action="Continue from now"
        onConfirm={() => change.mutate({ state: 'active', from: 'now' })}
      >
        Continue from now
      </ConfirmButton>
    </div>
  )
}

/** Makes a webhook active, or pauses it. */
export function useStateChange(id: string) {
  const slug = useSlug()
  const change = (next: { state: 'active' | 'paused'; from?: 'now' }) => updateWebhook(slug, id, next)
  return useAction(change, { reload: [webhooksKey(slug)] })
}
