import { useQuery } from '@tanstack/react-query'
import { Plus, Webhook as WebhookIcon } from 'lucide-react'
import { webhooksQuery } from '../../../api/webhooks.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorState } from '../../../components/error-state.tsx'
import { Page, Rows, Section } from '../page.tsx'
import { RowSkeletons } from '../page-skeleton.tsx'
import { Receivers } from './receivers.tsx'
import { WebhookLine } from './webhook-line.tsx'

const PURPOSE =
  'A webhook sends every change that you choose to a URL, signed, in order for each record, and again until it is accepted.'

export function WebhookList({ onNew }: { onNew(): void }) {
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery(useSlug()))
  return (
    <Page
      title="Webhooks"
      text={webhooks?.length === 0 ? undefined : PURPOSE}
      action={
        <Button look="primary" onClick={onNew}>
          <Plus aria-hidden />
          New webhook
        </Button>
      }
    >
      {error && !webhooks && <ErrorState error={error} onRetry={refetch} />}
      {!webhooks && !error && <RowSkeletons />}
      {webhooks?.length === 0 && (
        <EmptyState icon={WebhookIcon} title="No webhook yet" text={PURPOSE}>
          <Button onClick={onNew}>New webhook</Button>
        </EmptyState>
      )}
      {webhooks && webhooks.length > 0 && (
        <Rows label="Webhooks">
          {webhooks.map((webhook) => (
            <WebhookLine key={webhook.id} webhook={webhook} />
          ))}
        </Rows>
      )}
      <Section
        title="A receiver to copy"
        text="It verifies the signature. Set KITH_WEBHOOK_SECRET to the secret that you get when you create a webhook."
      >
        <Receivers />
      </Section>
    </Page>
  )
}
