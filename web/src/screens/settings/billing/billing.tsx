import { TRIAL_DAYS } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { billingQuery, useWorkspace } from '../../../api/workspace.ts'
import { Pill } from '../../../components/pill.tsx'
import { ErrorState } from '../../../components/states.tsx'
import { Page, PageSkeleton, Section } from '../page.tsx'

/** The states of a subscription in words. An unknown one is shown as Stripe names it. */
const statusWords: Readonly<Record<string, { name: string; tint: string }>> = {
  trial: { name: 'Trial', tint: 'blue' },
  trialing: { name: 'Trial', tint: 'blue' },
  active: { name: 'Active', tint: 'green' },
  complimentary: { name: 'Complimentary', tint: 'green' },
  past_due: { name: 'Payment is due', tint: 'amber' },
  unpaid: { name: 'Unpaid', tint: 'red' },
  canceled: { name: 'Cancelled', tint: 'red' },
}

export function Billing() {
  const { slug, role } = useWorkspace()
  const { data: billing, error, refetch } = useQuery(billingQuery(slug))
  if (error) return <ErrorState error={error} onRetry={refetch} />
  if (!billing) return <PageSkeleton />
  const { name, tint } = statusWords[billing.status] ?? { name: billing.status, tint: 'gray' }
  const onTrial = billing.status === 'trial' || billing.status === 'trialing'
  return (
    <Page title="Billing" text="The subscription of this workspace.">
      {billing.paused && (
        <div role="status" className="mb-6 rounded-md bg-warning-soft px-4 py-3 text-sm text-warning">
          <p className="font-medium">This workspace is paused.</p>
          <p className="mt-0.5">
            Nothing is lost. Records can be read and changed again, here and through the API, as soon as there is a
            subscription.
          </p>
        </div>
      )}
      <Section
        title="Subscription"
        extra={<Pill tint={billing.paused ? 'amber' : tint}>{billing.paused ? 'Paused' : name}</Pill>}
      >
        {onTrial && <Trial daysLeft={billing.trial_days_left} />}
        {billing.portal_url && roleMay(role, 'manage_billing') && (
          <a
            href={billing.portal_url}
            className="mt-5 inline-flex h-8 items-center rounded-md bg-accent px-3 text-sm font-medium text-on-accent hover:bg-accent-strong"
          >
            {onTrial ? 'Subscribe' : 'Manage the subscription'}
          </a>
        )}
        {!roleMay(role, 'manage_billing') && (
          <p className="mt-4 text-sm text-quiet">An owner of the workspace manages the subscription.</p>
        )}
      </Section>
    </Page>
  )
}

function Trial({ daysLeft }: { daysLeft: number }) {
  const passed = Math.min(TRIAL_DAYS, TRIAL_DAYS - daysLeft)
  return (
    <div className="max-w-90">
      <p className="text-sm">
        {daysLeft === 0
          ? 'The trial has ended.'
          : daysLeft === 1
            ? '1 day of the trial is left.'
            : `${daysLeft} days of the trial are left.`}
      </p>
      <div
        role="progressbar"
        aria-label="Days of the trial"
        aria-valuemin={0}
        aria-valuemax={TRIAL_DAYS}
        aria-valuenow={passed}
        className="mt-2 h-1.5 overflow-hidden rounded-full bg-line"
      >
        <div className="h-full rounded-full bg-accent" style={{ width: `${(passed / TRIAL_DAYS) * 100}%` }} />
      </div>
    </div>
  )
}
