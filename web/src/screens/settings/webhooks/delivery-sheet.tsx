import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { RotateCcw, X } from 'lucide-react'
import { type Delivery, deliveryQuery, replay, webhooksKey } from '../../../api/webhooks.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { ErrorState } from '../../../components/error-state.tsx'
import { Pill } from '../../../components/pill.tsx'
import { Sheet } from '../../../components/sheet.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { formatMoment } from '../../../format/moments.ts'
import { RowSkeletons } from '../page-skeleton.tsx'
import { Attempt } from './attempt.tsx'
import { deliveryWords, nextTryWords } from './webhook-words.ts'

type Props = { webhook: string; id: string; isStopped: boolean; onClose(): void }

/** One delivery with all its attempts: what was sent, and what came back. */
export function DeliverySheet({ webhook, id, isStopped, onClose }: Props) {
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

type DetailsProps = { webhook: string; delivery: Delivery; isStopped: boolean; onReplayed(): void }

function Details({ webhook, delivery: { attributes }, isStopped, onReplayed }: DetailsProps) {
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
  const queries = useQueryClient()
  const replaying = useMutation({
    mutationFn: () => replay(slug, webhook, { event_id: event }),
    onSuccess: () => {
      showToast({ message: 'The event is sent again' })
      onReplayed()
    },
    onError: ({ message }) => showToast({ tone: 'danger', message }),
    onSettled: () => queries.invalidateQueries({ queryKey: webhooksKey(slug) }),
  })
  return (
    <Button disabled={replaying.isPending} onClick={() => replaying.mutate()}>
      <RotateCcw aria-hidden />
      Replay
    </Button>
  )
}
