import { IN_FLIGHT_MAX } from '@kith/contract/limits'
import { FormField } from '../../../components/form-field.tsx'
import { Input } from '../../../components/input.tsx'
import { RadioLines } from '../../../components/radio-lines.tsx'
import { RuleSwitch } from '../fields/rule-switch.tsx'
import { EventChoice } from './event-choice.tsx'
import type { WebhookDraft } from './webhook-draft.ts'

type PartProps = { draft: WebhookDraft; onChange(changes: Partial<WebhookDraft>): void }
type Errors = { errors: readonly string[] | undefined }

/** Everything, or chosen events. */
export function Events({ draft, onChange, problem }: PartProps & { problem: string | undefined }) {
  return (
    <div className="grid gap-3">
      <RadioLines
        label="What to send"
        value={draft.everything ? 'all' : 'some'}
        onValueChange={(value) => onChange({ everything: value === 'all' })}
        choices={[
          { value: 'all', label: 'Everything', hint: 'All changes of records, custom fields and members.' },
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
export function HowToSend({ draft, onChange, errors }: PartProps & Errors) {
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
        hint={`How many events are sent at the same time, from 1 to ${IN_FLIGHT_MAX}. Events of one record are always sent one after the other.`}
        errors={errors}
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
export function Beginning({ draft, onChange, errors }: PartProps & Errors) {
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
          hint="Copy it from Settings, Sync, or from the last response that your integration read."
          errors={errors}
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
