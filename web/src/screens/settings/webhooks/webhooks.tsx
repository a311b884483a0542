import { roleMay } from '@kith/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { shownFailure } from '../../../api/problems.ts'
import { webhookQuery } from '../../../api/webhooks.ts'
import { useSlug, useWorkspace } from '../../../api/workspace.ts'
import { ErrorState } from '../../../components/error-state.tsx'
import { NotFound } from '../../not-found.tsx'
import { PageSkeleton } from '../page-skeleton.tsx'
import { BackLink } from './back-link.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { WebhookList } from './webhook-list.tsx'
import { WebhookPage } from './webhook-page.tsx'

const NEW = 'new'

/** All webhooks, a form, or one of them. The address says which. */
export function Webhooks() {
  const { role } = useWorkspace()
  const { webhook: id } = useSearch({ from: '/$workspace/settings/$page' })
  const navigate = useNavigate()
  const [secret, setSecret] = useState<string>()
  const open = (webhook?: string) => navigate({ to: '.', search: webhook === undefined ? {} : { webhook } })
  const showCreated = async (webhook: string, created: string) => {
    setSecret(created)
    await open(webhook)
  }
  if (!roleMay(role, 'create')) return <NotFound />
  return (
    <>
      {id === undefined && <WebhookList onNew={() => open(NEW)} />}
      {id === NEW && <WebhookForm onCreated={showCreated} onClose={() => open()} />}
      {id !== undefined && id !== NEW && <Opened key={id} id={id} onSecret={setSecret} onClose={() => open(id)} />}
      {secret !== undefined && <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}

type OpenedProps = { id: string; onSecret(secret: string): void; onClose(): void }

/** One webhook, or its form. */
function Opened({ id, onSecret, onClose }: OpenedProps) {
  const { edit } = useSearch({ from: '/$workspace/settings/$page' })
  const { data: webhook, error, refetch } = useQuery(webhookQuery(useSlug(), id))
  const failure = shownFailure({ data: webhook, error })
  // A form stays with what was typed. It says what is wrong when it is sent.
  if (failure && !(webhook && edit)) {
    return (
      <div className="mx-auto w-full max-w-180 px-4 py-6 sm:px-6 sm:py-8">
        <BackLink />
        <ErrorState error={failure} onRetry={refetch} />
      </div>
    )
  }
  if (!webhook) return <PageSkeleton />
  if (edit) return <WebhookForm webhook={webhook} onCreated={(_, secret) => onSecret(secret)} onClose={onClose} />
  return <WebhookPage webhook={webhook} isStale={error !== null} onSecret={onSecret} />
}
