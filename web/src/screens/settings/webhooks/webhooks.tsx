import { KEEP_HOURS_DEFAULT } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import type { Schema } from '@kith/contract/resource'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Ellipsis, KeyRound, Pause, Pencil, Play, Plus, Send, Trash2, Webhook as WebhookIcon } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useMembers } from '../../../api/members.ts'
import { shownFailure } from '../../../api/problems.ts'
import { useSchema } from '../../../api/schema.ts'
import {
  deliveryQuery,
  removeWebhook,
  rotateSecret,
  sendTest,
  type Webhook,
  webhookQuery,
  webhooksKey,
  webhooksQuery,
} from '../../../api/webhooks.ts'
import { useSlug, useWorkspace } from '../../../api/workspace.ts'
import { Button, IconButton } from '../../../components/button.tsx'
import { CodeBlock, CopyButton } from '../../../components/copy.tsx'
import { Confirm, NoticeDialog } from '../../../components/dialog.tsx'
import { Menu, MenuContent, MenuItem, MenuLine, MenuTrigger } from '../../../components/menu.tsx'
import { Pill } from '../../../components/pill.tsx'
import { Select } from '../../../components/select.tsx'
import { EmptyState, ErrorState } from '../../../components/states.tsx'
import { formatMoment } from '../../../format/moments.ts'
import { FormDialog, FormField } from '../../../forms/form.tsx'
import { useAction, useSave } from '../../../forms/save.ts'
import { appearanceOf } from '../../../resources.ts'
import { NotFound } from '../../failed.tsx'
import { conditionsIn } from '../../records/filter/filter-tree.ts'
import { readFilter } from '../../records/filter/read-filter.ts'
import { Page, PageSkeleton, RowSkeletons, Rows, Section } from '../page.tsx'
import { Deliveries } from './deliveries.tsx'
import { Receivers } from './receivers.tsx'
import { BackLink, WebhookForm } from './webhook-form.tsx'
import { useStateChange, WebhookHealth } from './webhook-health.tsx'
import { WebhookLine } from './webhook-line.tsx'
import { stateWords, typesInWords } from './webhook-words.ts'

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

/** One webhook, or its form. */
function Opened({ id, onSecret, onClose }: { id: string; onSecret(secret: string): void; onClose(): void }) {
  const { edit } = useSearch({ from: '/$workspace/settings/$page' })
  const { data: webhook, error, refetch } = useQuery(webhookQuery(useSlug(), id))
  const failure = shownFailure({ data: webhook, error })
  // A form keeps its text. It shows its problems when it is sent.
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

/** The only time that a secret is shown. */
function SecretDialog({ secret, onClose }: { secret: string; onClose(): void }) {
  return (
    <NoticeDialog
      onClose={onClose}
      title="The signing secret"
      description="Copy it now: it is not shown again. The receiver verifies with it that a request comes from Kith."
    >
      <div className="grid gap-3">
        <CodeBlock text={secret} label="Secret" />
        <p className="text-xs text-faint">
          The receivers to copy, on the page of all webhooks, read it from{' '}
          <code className="font-mono">KITH_WEBHOOK_SECRET</code>. If it gets lost, rotate the secret.
        </p>
      </div>
    </NoticeDialog>
  )
}

const PURPOSE =
  'A webhook sends every change that you choose to a URL, signed, in order for each record, and again until it is accepted.'

function WebhookList({ onNew }: { onNew(): void }) {
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

/** One webhook: its state, what to do if it fails, its settings and its log. */
function WebhookPage(props: {
  webhook: Webhook
  /** Whether it could not be read again. */
  isStale: boolean
  onSecret(secret: string): void
}) {
  const { webhook, isStale, onSecret } = props
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

const PAYLOADS = { full: 'With the record', thin: 'Without the record', diff: 'With the record and what has changed' }

/** What a webhook sends, and how. */
function WebhookFacts({ webhook: { id, attributes } }: { webhook: Webhook }) {
  const { types, payload, exclude_own, max_in_flight, position, created_at, creator_id } = attributes
  const creator = useMembers().find((one) => one.id === creator_id)
  const schema = useSchema()
  const filters = filtersInWords(schema, attributes)
  return (
    <dl className="grid gap-x-4 gap-y-0.5 text-sm sm:gap-y-2 sm:grid-cols-[140px_minmax(0,1fr)]">
      <Fact name="Sends">{typesInWords(schema, types)}</Fact>
      {filters.length > 0 && (
        <Fact name="Filters">
          {filters.map((words) => (
            <span key={words} className="block wrap-anywhere">
              {words}
            </span>
          ))}
        </Fact>
      )}
      <Fact name="Payload">{PAYLOADS[payload]}</Fact>
      {exclude_own && <Fact name="Own changes">Left out</Fact>}
      <Fact name="Events in flight">{max_in_flight}</Fact>
      <Fact name="Position">After change #{position.sequence}</Fact>
      <Fact name="Created">
        {formatMoment(created_at)}
        {creator && ` by ${creator.name}`}
      </Fact>
      <Fact name="ID">
        <span className="flex flex-wrap items-center gap-x-1">
          <span className="font-mono text-xs wrap-anywhere">{id}</span>
          <CopyButton text={id} label="Copy" look="quiet" aria-label="Copy ID" />
        </span>
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-quiet max-sm:mt-2 max-sm:text-xs">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  )
}

/** "People: 2 conditions, only updates of name and company_id". */
function filtersInWords(schema: Schema, { filter, changed }: Webhook['attributes']): string[] {
  return [...schema.values()].flatMap((resource) => {
    const { type: name } = resource
    const count = filter?.[name] ? conditionsIn(readFilter({ ...filter[name] }, resource)) : 0
    const names = changed?.[name] ?? []
    const parts = [
      ...(count > 0 ? [`${count} ${count === 1 ? 'condition' : 'conditions'}`] : []),
      ...(names.length > 0 ? [`only updates of ${names.join(', ')}`] : []),
    ]
    return parts.length === 0 ? [] : [`${appearanceOf(resource).name}: ${parts.join(', ')}`]
  })
}

/** What can be done with a webhook. A test shows its delivery at once. */
function WebhookActions(props: { webhook: Webhook; onSecret(secret: string): void }) {
  const {
    webhook: { id, attributes },
    onSecret,
  } = props
  const slug = useSlug()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [opened, setOpened] = useState<'rotate' | 'delete'>()
  const change = useStateChange(id)
  const testing = useAction(() => sendTest(slug, id), {
    next: async (delivery) => {
      queries.setQueryData(deliveryQuery(slug, id, delivery.id).queryKey, delivery)
      await navigate({ to: '.', search: { webhook: id, delivery: delivery.id } })
    },
    reload: [webhooksKey(slug)],
  })
  const removing = useAction(() => removeWebhook(slug, id), {
    message: 'Deleted the webhook',
    next: async () => {
      await navigate({ to: '.', search: {} })
      queries.removeQueries({ queryKey: [...webhooksKey(slug), id] })
    },
    reload: [webhooksKey(slug)],
  })
  return (
    <div className="flex flex-wrap gap-2">
      <Button disabled={testing.isPending} onClick={() => testing.mutate()}>
        <Send aria-hidden />
        {testing.isPending ? 'Sending…' : 'Send test event'}
      </Button>
      {attributes.state === 'paused' && (
        <Button look="primary" disabled={change.isPending} onClick={() => change.mutate({ state: 'active' })}>
          <Play aria-hidden />
          Resume
        </Button>
      )}
      <Menu>
        <MenuTrigger asChild>
          <IconButton label="More" look="plain">
            <Ellipsis aria-hidden />
          </IconButton>
        </MenuTrigger>
        <MenuContent align="end">
          <MenuItem
            icon={<Pencil aria-hidden />}
            onSelect={() => navigate({ to: '.', search: { webhook: id, edit: true } })}
          >
            Edit
          </MenuItem>
          {(attributes.state === 'active' || attributes.state === 'failing') && (
            <MenuItem icon={<Pause aria-hidden />} onSelect={() => change.mutate({ state: 'paused' })}>
              Pause
            </MenuItem>
          )}
          <MenuItem icon={<KeyRound aria-hidden />} onSelect={() => setOpened('rotate')}>
            Rotate the secret
          </MenuItem>
          <MenuLine />
          <MenuItem danger icon={<Trash2 aria-hidden />} onSelect={() => setOpened('delete')}>
            Delete
          </MenuItem>
        </MenuContent>
      </Menu>
      {opened === 'rotate' && <RotateDialog id={id} onSecret={onSecret} onClose={() => setOpened(undefined)} />}
      <Confirm
        open={opened === 'delete'}
        onOpenChange={(open) => setOpened(open ? 'delete' : undefined)}
        title="Delete this webhook?"
        action="Delete"
        onConfirm={() => removing.mutate()}
      >
        Nothing more is sent to <span className="wrap-anywhere text-ink">{attributes.url}</span>. Its log is deleted
        too. This cannot be undone.
      </Confirm>
    </div>
  )
}

const times = [
  { value: '0', label: 'Not at all' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '24 hours' },
  { value: '72', label: '3 days' },
]

/** Replaces the secret, and keeps the old one valid while the receiver is changed. */
function RotateDialog({ id, onSecret, onClose }: { id: string; onSecret(secret: string): void; onClose(): void }) {
  const slug = useSlug()
  const [hours, setHours] = useState(String(KEEP_HOURS_DEFAULT))
  const rotating = useSave(() => rotateSecret(slug, id, Number(hours)), {
    next: ({ attributes }) => {
      onClose()
      onSecret(attributes.secret)
    },
  })
  return (
    <FormDialog
      title="Rotate the secret"
      description="The new secret is shown once."
      saving={rotating}
      onSubmit={() => rotating.mutate()}
      action="Rotate"
      onClose={onClose}
    >
      <FormField
        label="The old secret also signs for"
        name="keep_hours"
        hint="During this time each request has two signatures, so the receiver can change over without a gap. Choose “Not at all” if the secret has leaked."
      >
        <Select value={hours} onValueChange={setHours} choices={times} />
      </FormField>
    </FormDialog>
  )
}
