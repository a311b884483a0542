import { changedNames } from '@kith/contract/changes/feed-filter'
import { WEBHOOK_DESCRIPTION_MAX } from '@kith/contract/limits'
import { attributesOf, EXTERNAL_IDS, type Resource, type ResourceName } from '@kith/contract/resource'
import { KithError } from '@kith/sdk'
import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronLeft } from 'lucide-react'
import { useState } from 'react'
import { useResource, useSchema } from '../../../api/schema.ts'
import { createWebhook, updateWebhook, type Webhook, webhooksKey } from '../../../api/webhooks.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Combobox } from '../../../components/combobox.tsx'
import { Input } from '../../../components/controls.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../../components/popover.tsx'
import { NEW } from '../../../drafts/draft-store.ts'
import { OldDraft, useFormDraft } from '../../../drafts/form-draft.tsx'
import { FormField, FormFrame, GeneralProblem } from '../../../forms/form.tsx'
import { useSave } from '../../../forms/save.ts'
import { labelOf } from '../../../properties/property.ts'
import { appearanceOf, useAppearance } from '../../../resources.ts'
import { FilterPopover } from '../../records/filter/filter-popover.tsx'
import { Section } from '../page.tsx'
import { Beginning, Events, HowToSend } from './form-parts.tsx'
import { changesOf, draftOf, inputOf, typesOf, type WebhookDraft } from './webhook-draft.ts'
import { chosenKinds } from './webhook-words.ts'

/** Everything about a webhook that can be chosen. */
export function WebhookForm(props: {
  /** The webhook that is changed; a new one without. */
  webhook?: Webhook
  onCreated(id: string, secret: string): void
  onClose(): void
}) {
  const { webhook, onCreated, onClose } = props
  const slug = useSlug()
  const place = { slug, resource: 'webhooks', id: webhook?.id ?? NEW, property: 'form' } as const
  const formDraft = useFormDraft<WebhookDraft>(place, {
    label: webhook ? 'Changes' : 'New webhook',
    name: webhook?.attributes.url ?? '',
    fresh: () => draftOf(webhook),
    shown: ({ url, description }) => ({ url, description }),
  })
  const { form: draft, begun, isOld, change, startOver } = formDraft
  const save = async (key: string) => {
    const saved = await (webhook ? update(webhook) : create(key))
    formDraft.removeSaved(key)
    return saved
  }
  const update = async ({ id }: Webhook) => {
    await updateWebhook(slug, id, changesOf(draft, begun))
    return { id, secret: undefined }
  }
  const create = async (key: string) => {
    const input = { ...inputOf(draft), from: draft.from === 'now' ? 'now' : draft.cursor.trim() }
    const { id, attributes } = await createWebhook(slug, { input, key })
    return { id, secret: attributes.secret }
  }
  const saving = useSave(save, {
    reload: [webhooksKey(slug)],
    message: () => (webhook ? 'Saved the webhook' : undefined),
    next: ({ id, secret }) => (secret === undefined ? onClose() : onCreated(id, secret)),
  })
  const discard = () => {
    formDraft.remove()
    onClose()
  }
  return (
    <div className="mx-auto w-full max-w-180 px-4 pt-6 sm:px-6 sm:pt-8">
      <BackLink webhook={webhook?.id} />
      <FormFrame
        saving={saving}
        onSubmit={() => saving.mutate(formDraft.key)}
        paths={shownIn(saving.error)}
        className="mt-3"
      >
        <header className="mb-6">
          <h2 className="text-lg font-semibold tracking-tight">{webhook ? 'Edit webhook' : 'New webhook'}</h2>
          {isOld && <OldDraft onStartOver={startOver} />}
        </header>
        <div>
          <Section title="Receiver">
            <div className="grid gap-4">
              <FormField
                label="URL"
                name="url"
                hint="Events are sent here as POST requests. It must be reachable from the internet, with https."
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
              <FormField label="Description (optional)" name="description">
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
            <HowToSend draft={draft} onChange={change} />
          </Section>
          {!webhook && (
            <Section title="Where to begin">
              <Beginning draft={draft} onChange={change} />
            </Section>
          )}
        </div>
        <div className="mt-6">
          <GeneralProblem />
        </div>
        <footer className="sticky bottom-0 -mx-4 mt-6 flex justify-end gap-2 border-t border-line bg-paper px-4 py-3 sm:mx-0 sm:px-0">
          <Button onClick={discard}>{webhook ? 'Discard changes' : 'Discard'}</Button>
          <Button type="submit" look="primary" disabled={saving.isPending}>
            {webhook ? 'Save' : 'Create webhook'}
          </Button>
        </footer>
      </FormFrame>
    </div>
  )
}

/** The first problem at a path or below it. */
function below(error: Error | null, path: string): string | undefined {
  const errors = error instanceof KithError ? Object.entries(error.errors) : []
  return errors.find(([at]) => at === path || at.startsWith(`${path}.`))?.[1][0]
}

const groups = ['types', 'filter.', 'changed.']

/** The paths whose problems are shown at the events and the filters. */
function shownIn(error: Error | null): string[] {
  const paths = error instanceof KithError ? Object.keys(error.errors) : []
  return paths.filter((path) => groups.some((group) => path.startsWith(group)))
}

type Props = {
  draft: WebhookDraft
  onChange(changes: Partial<WebhookDraft>): void
  /** The problems at a path and below it. */
  problemsAt(path: string): string | undefined
}

/** For each resource of records that is sent: which records, and which changes of them. */
function ResourceRules({ draft, onChange, problemsAt }: Props) {
  const types = typesOf(draft)
  const schema = useSchema()
  const sent = [...schema.keys()].filter((name) => chosenKinds(types, name).length > 0)
  if (sent.length === 0) {
    return <p className="text-sm text-faint">Choose kinds of records above to filter them.</p>
  }
  return (
    <ul aria-label="Filters" className="divide-y divide-line rounded-md border border-line">
      {sent.map((resource) => (
        <ResourceRule
          key={resource}
          resource={resource}
          draft={draft}
          onChange={onChange}
          hasUpdates={chosenKinds(types, resource).includes('updated')}
          problem={problemsAt(`filter.${resource}`) ?? problemsAt(`changed.${resource}`)}
        />
      ))}
    </ul>
  )
}

function ResourceRule(
  props: Omit<Props, 'problemsAt'> & {
    resource: ResourceName
    hasUpdates: boolean
    problem: string | undefined
  },
) {
  const { resource, draft, onChange, hasUpdates, problem } = props
  const [open, setOpen] = useState(false)
  const { icon: Icon, name, many } = useAppearance(resource)
  const { [resource]: filter, ...filters } = draft.filter
  const { [resource]: names, ...others } = draft.changed
  return (
    <li className="px-3 py-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <span className="flex min-w-32 flex-1 items-center gap-1.5 text-sm font-medium">
          <Icon aria-hidden className="size-4 shrink-0 text-faint" />
          {name}
        </span>
        <FilterPopover
          resource={resource}
          filter={filter}
          onFilter={(next) => onChange({ filter: next ? { ...filters, [resource]: next } : filters })}
          open={open}
          onOpenChange={setOpen}
          of={many}
          inFeed
        />
        {hasUpdates && (
          <ChangedPicker
            resource={resource}
            names={names ?? []}
            onNames={(next) => onChange({ changed: next.length > 0 ? { ...others, [resource]: next } : others })}
          />
        )}
      </div>
      {problem !== undefined && (
        <p role="alert" className="mt-1.5 text-xs wrap-anywhere text-danger">
          {problem}
        </p>
      )}
    </li>
  )
}

/** Which attributes an update must touch to be sent. None chosen means any. */
function ChangedPicker(props: {
  resource: ResourceName
  names: readonly string[]
  onNames(names: readonly string[]): void
}) {
  const { names, onNames } = props
  const resource = useResource(props.resource)
  // When and how a record came to be never changes.
  const fixed = attributesOf(resource, 'time', 'source')
  const known = changedNames(resource).filter((name) => !fixed.includes(name))
  // An earlier choice can be removed, even if the field is archived.
  const all = [...new Set([...known, ...names])]
  const pick = (name: string) => onNames(names.includes(name) ? names.filter((one) => one !== name) : [...names, name])
  const [first] = names
  const shown =
    names.length === 1 && first !== undefined ? attributeLabel(resource, first) : `${names.length} attributes`
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button active={names.length > 0} className="max-w-56">
          <span className="sr-only">{appearanceOf(resource).name}: </span>
          <span className="truncate">{first === undefined ? 'Any update' : `Updates of ${shown}`}</span>
          <ChevronDown aria-hidden className="text-faint" />
        </Button>
      </PopoverTrigger>
      <PopoverContent aria-label="Attributes" align="end" className="w-68">
        <Combobox
          label="Attributes that an update must touch"
          items={all.map((name) => ({ value: name, label: attributeLabel(resource, name), detail: name }))}
          chosen={names}
          onPick={pick}
        />
      </PopoverContent>
    </Popover>
  )
}

function attributeLabel(resource: Resource, name: string): string {
  if (name === EXTERNAL_IDS) return 'External ids'
  const field = resource.fields.list.find(({ code }) => name === `custom_fields.${code}`)
  return field?.name ?? labelOf(resource, resource.links[name]?.relation ?? name)
}

/** Back to all webhooks, or to one of them. */
export function BackLink({ webhook }: { webhook?: string | undefined }) {
  return (
    <Link
      to="/$workspace/settings/$page"
      params={{ workspace: useSlug(), page: 'webhooks' }}
      search={webhook === undefined ? {} : { webhook }}
      className="inline-flex items-center gap-1 text-sm text-quiet hover:text-ink [&_svg]:size-4"
    >
      <ChevronLeft aria-hidden />
      {webhook === undefined ? 'Webhooks' : 'Webhook'}
    </Link>
  )
}
