import { IN_FLIGHT_MAX } from '@kith/contract/limits'
import { useId } from 'react'
import { useSchema } from '../../../api/schema.ts'
import { Checkbox, Input } from '../../../components/controls.tsx'
import { RadioLines } from '../../../components/radio-groups.tsx'
import { FormField } from '../../../forms/form.tsx'
import { RuleSwitch } from '../page.tsx'
import { feedResources, feedWords } from '../sync/feed-words.ts'
import type { WebhookDraft } from './webhook-draft.ts'
import { chosenKinds, kindsOf, withKinds } from './webhook-words.ts'

type DraftProps = { draft: WebhookDraft; onChange(changes: Partial<WebhookDraft>): void }

/** Everything, or chosen events. */
export function Events({ draft, onChange, problem }: DraftProps & { problem: string | undefined }) {
  return (
    <div className="grid gap-3">
      <RadioLines
        label="What to send"
        value={draft.everything ? 'all' : 'some'}
        onValueChange={(value) => onChange({ everything: value === 'all' })}
        choices={[
          { value: 'all', label: 'Everything', hint: 'All changes of records, resources, custom fields and members.' },
          { value: 'some', label: 'Chosen events', hint: 'Only the changes that you choose.' },
        ]}
      />
      {!draft.everything && <EventChoice types={draft.types} onTypes={(types) => onChange({ types })} />}
      {problem !== undefined && (
        <p role="alert" className="text-xs text-danger">
          {problem}
        </p>
      )}
    </div>
  )
}

/** What events carry, and how many are sent at once. */
export function HowToSend({ draft, onChange }: DraftProps) {
  return (
    <div className="grid gap-5">
      <RadioLines
        label="Payload"
        value={draft.payload}
        onValueChange={(payload) => onChange({ payload })}
        choices={[
          { value: 'full', label: 'With the record', hint: 'Each event carries the record as it is when it is sent.' },
          {
            value: 'thin',
            label: 'Without the record',
            hint: 'Ids and attribute names only. The receiver reads the record itself.',
          },
          {
            value: 'diff',
            label: 'With the record and what has changed',
            hint: 'Also each changed value as it was before and after.',
          },
        ]}
      />
      <RuleSwitch
        label="Leave out own changes"
        hint="What the token that created the webhook changes is not sent. For a webhook created here: what its creator changes in the application."
        checked={draft.exclude_own}
        onChange={(exclude_own) => onChange({ exclude_own })}
      />
      <FormField
        label="Events in flight"
        name="max_in_flight"
        hint={`How many events are sent at the same time, from 1 to ${IN_FLIGHT_MAX}. Events of one record are always sent one after the other.`}
      >
        <Input
          type="number"
          min={1}
          max={IN_FLIGHT_MAX}
          value={draft.max_in_flight}
          onChange={({ target }) => onChange({ max_in_flight: target.value })}
          className="max-w-24"
        />
      </FormField>
    </div>
  )
}

/** Now, or a position in the feed. */
export function Beginning({ draft, onChange }: DraftProps) {
  return (
    <div className="grid gap-3">
      <RadioLines
        label="Where to begin"
        value={draft.from}
        onValueChange={(from) => onChange({ from })}
        choices={[
          { value: 'now', label: 'From now on', hint: 'Only changes that are made after it is created.' },
          { value: 'cursor', label: 'From a cursor', hint: 'Everything after a position in the changes feed.' },
        ]}
      />
      {draft.from === 'cursor' && (
        <FormField
          label="Cursor"
          name="from"
          hint="Copy it from Settings, Sync, or from the last response that your integration read."
        >
          <Input
            value={draft.cursor}
            onChange={({ target }) => onChange({ cursor: target.value })}
            spellCheck={false}
            required
            className="font-mono text-xs"
          />
        </FormField>
      )}
    </div>
  )
}

/** Which changes of which resources are sent. */
function EventChoice({ types, onTypes }: { types: readonly string[]; onTypes(types: readonly string[]): void }) {
  const schema = useSchema()
  return (
    <div className="divide-y divide-line rounded-md border border-line">
      {feedResources(schema).map((resource) => (
        <ResourceKinds
          key={resource}
          resource={resource}
          chosen={chosenKinds(types, resource)}
          onKinds={(kinds) => onTypes(withKinds(types, resource, kinds))}
        />
      ))}
    </div>
  )
}

/** One resource: all of its kinds at once, or each. */
function ResourceKinds(props: {
  resource: string
  chosen: readonly string[]
  onKinds(kinds: readonly string[]): void
}) {
  const { resource, chosen, onKinds } = props
  const id = useId()
  const { icon: Icon, name } = feedWords(useSchema(), resource)
  const kinds = kindsOf(resource)
  const all = chosen.length === kinds.length ? true : chosen.length > 0 && 'indeterminate'
  const toggle = (kind: string, on: boolean) =>
    onKinds(kinds.filter((one) => (one === kind ? on : chosen.includes(one))))
  return (
    <fieldset className="grid grid-cols-2 gap-x-2 gap-y-2 px-3 py-2.5 sm:grid-cols-[minmax(0,1.6fr)_repeat(5,minmax(0,1fr))]">
      <legend className="sr-only">{name}</legend>
      <span className="col-span-2 flex items-center gap-2 sm:col-span-1">
        <Checkbox id={id} checked={all} onCheckedChange={(on) => onKinds(on === true ? kinds : [])} />
        <label htmlFor={id} className="flex min-w-0 items-center gap-1.5 text-sm font-medium">
          <Icon aria-hidden className="size-4 shrink-0 text-faint" />
          <span className="truncate">{name}</span>
        </label>
      </span>
      {kinds.map((kind) => (
        <span key={kind} className="flex items-center gap-1.5 max-sm:pl-6">
          <Checkbox
            id={`${id}-${kind}`}
            checked={chosen.includes(kind)}
            onCheckedChange={(on) => toggle(kind, on === true)}
          />
          <label htmlFor={`${id}-${kind}`} className="text-xs text-quiet">
            {kind}
          </label>
        </span>
      ))}
    </fieldset>
  )
}
