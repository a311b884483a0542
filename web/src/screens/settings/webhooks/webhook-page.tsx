import type { Webhook } from '../../../api/webhooks.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { Pill } from '../../../components/pill.tsx'
import { Section } from '../page.tsx'
import { BackLink } from './back-link.tsx'
import { Deliveries } from './deliveries.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookFacts } from './webhook-facts.tsx'
import { WebhookHealth } from './webhook-health.tsx'
import { stateWords } from './webhook-words.ts'

type Props = {
  webhook: Webhook
  /** Whether it could not be read again. */
  isStale: boolean
  onSecret(secret: string): void
}

/** One webhook: its state, what to do if it fails, its settings and its log. */
export function WebhookPage({ webhook, isStale, onSecret }: Props) {
  const { url, description, state } = webhook.attributes
  const { label, tint } = stateWords[state]
  return (
    <div className="mx-auto w-full max-w-180 px-4 py-6 sm:px-6 sm:py-8">
      <BackLink />
      <header className="mt-3 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-80">
          <h2 className="line-clamp-4 text-lg font-semibold tracking-tight wrap-anywhere">{url}</h2>
          <p className="mt-1 flex flex-wrap items-center gap-2 text-sm text-quiet">
            <Pill tint={tint}>{label}</Pill>
            {description !== null && (
              <span dir="auto" className="min-w-0 wrap-anywhere">
                {description}
              </span>
            )}
            <CopyButton text={url} label="Copy URL" look="quiet" />
          </p>
        </div>
        <WebhookActions webhook={webhook} onSecret={onSecret} />
      </header>
      {isStale && (
        <p role="alert" className="mt-4 rounded-md bg-warning-soft px-3 py-2 text-sm text-warning">
          The service could not be reached. This is the last known state. Trying again.
        </p>
      )}
      <WebhookHealth webhook={webhook} />
      <div className="mt-6">
        <Section title="Settings">
          <WebhookFacts webhook={webhook} />
        </Section>
        <Section
          title="Deliveries"
          text="The log of the last 7 days. Events that were given up are kept for 30 days, and can be replayed."
        >
          <Deliveries webhook={webhook} />
        </Section>
      </div>
    </div>
  )
}
