import { WEBHOOK_DESCRIPTION_MAX } from '@kith/contract/limits'
import { KithError } from '@kith/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { NEW } from '../../../api/drafts.ts'
import { useFormDraft } from '../../../api/form-draft.ts'
import { problemsOf } from '../../../api/problems.ts'
import { createWebhook, updateWebhook, type Webhook, webhooksKey } from '../../../api/webhooks.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { FormField } from '../../../components/form-field.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { Input } from '../../../components/input.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { OldDraft } from '../old-draft.tsx'
import { Section } from '../page.tsx'
import { BackLink } from './back-link.tsx'
import { Beginning, Events, HowToSend } from './form-parts.tsx'
import { ResourceRules } from './resource-rules.tsx'
import { changesOf, draftOf, inputOf, type WebhookDraft } from './webhook-draft.ts'

type Props = {
  /** The webhook that is changed; a new one without. */
  webhook?: Webhook
  onCreated(id: string, secret: string): void
  onClose(): void
}

/** Everything about a webhook that can be chosen. */
export function WebhookForm({ webhook, onCreated, onClose }: Props) {
  const slug = useSlug()
  const queries = useQueryClient()
  const place = { slug, resource: 'webhooks', id: webhook?.id ?? NEW, property: 'form' } as const
  const {
    form: draft,
    begun,
    key,
    isOld,
    change,
    startOver,
    forget,
    forgetSaved,
  } = useFormDraft<WebhookDraft>(place, {
    label: webhook ? 'Changes' : 'New webhook',
    name: webhook?.attributes.url ?? '',
    page: useLocation({ select: ({ href }) => href }),
    fresh: () => draftOf(webhook),
    shown: ({ url, description }) => ({ url, description }),
  })
  const saving = useMutation({
    mutationFn: async (key: string) => {
      if (webhook) return updateWebhook(slug, webhook.id, changesOf(draft, begun))
      const input = { ...inputOf(draft), from: draft.from === 'now' ? 'now' : draft.cursor.trim() }
      const { id, attributes } = await createWebhook(slug, { input, key })
      return { id, attributes, secret: attributes.secret }
    },
    onSuccess: async (saved, sent) => {
      forgetSaved(sent)
      await queries.invalidateQueries({ queryKey: webhooksKey(slug) })
      if ('secret' in saved) return onCreated(saved.id, saved.secret)
      showToast({ message: 'Saved the webhook' })
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.mutate(key)
  }
  const discard = () => {
    forget()
    onClose()
  }
  const problems = problemsOf(saving.error, shownIn(saving.error))
  return (
    <div className="mx-auto w-full max-w-180 px-4 pt-6 sm:px-6 sm:pt-8">
      <BackLink webhook={webhook?.id} />
      <form onSubmit={submit} className="mt-3">
        <header className="mb-6">
          <h2 className="text-lg font-semibold tracking-tight">{webhook ? 'Edit webhook' : 'New webhook'}</h2>
          {isOld && <OldDraft onStartOver={startOver} />}
        </header>
        <div>
          <Section title="Receiver">
            <div className="grid gap-4">
              <FormField
                label="URL"
                hint="Events are sent here as POST requests. It must be reachable from the internet, with https."
                errors={problems.at('url')}
              >
                <Input
                  value={draft.url}
                  onChange={({ target }) => change({ url: target.value })}
                  placeholder="https://example.com/kith"
                  inputMode="url"
                  spellCheck={false}
                  required
                  autoFocus={!webhook}
                />
              </FormField>
              <FormField label="Description (optional)" errors={problems.at('description')}>
                <Input
                  value={draft.description}
                  onChange={({ target }) => change({ description: target.value })}
                  placeholder="What receives the events, such as “Warehouse”"
                  maxLength={WEBHOOK_DESCRIPTION_MAX}
                />
              </FormField>
            </div>
          </Section>
          <Section title="What to send">
            <Events draft={draft} onChange={change} problem={below(saving.error, 'types')} />
          </Section>
          <Section
            title="Filters"
            text="Send only some records. A record that no longer matches is sent once more, as “left”. Updates can be limited to certain attributes."
          >
            <ResourceRules draft={draft} onChange={change} problemsAt={(path) => below(saving.error, path)} />
          </Section>
          <Section title="How to send">
            <HowToSend draft={draft} onChange={change} errors={problems.at('max_in_flight')} />
          </Section>
          {!webhook && (
            <Section title="Where to begin">
              <Beginning draft={draft} onChange={change} errors={problems.at('from')} />
            </Section>
          )}
        </div>
        <div className="mt-6">
          <FormProblem text={problems.general} />
        </div>
        <footer className="sticky bottom-0 -mx-4 mt-6 flex justify-end gap-2 border-t border-line bg-paper px-4 py-3 sm:mx-0 sm:px-0">
          <Button onClick={discard}>{webhook ? 'Discard changes' : 'Discard'}</Button>
          <Button type="submit" look="primary" disabled={saving.isPending}>
            {webhook ? 'Save' : 'Create webhook'}
          </Button>
        </footer>
      </form>
    </div>
  )
}

/** The first problem at a path or below it. */
function below(error: Error | null, path: string): string | undefined {
  const errors = error instanceof KithError ? Object.entries(error.errors) : []
  return errors.find(([at]) => at === path || at.startsWith(`${path}.`))?.[1][0]
}

const groups = ['types', 'filter.', 'changed.']
const fields = ['url', 'description', 'max_in_flight', 'from']

/** The paths whose problems are shown at their inputs. */
function shownIn(error: Error | null): string[] {
  const paths = error instanceof KithError ? Object.keys(error.errors) : []
  return [...fields, ...paths.filter((path) => groups.some((group) => path.startsWith(group)))]
}
