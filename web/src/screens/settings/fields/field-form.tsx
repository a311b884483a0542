import type { ManagedField } from '@kith/contract/app/fields'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { newId } from '@kith/contract/id'
import {
  FIELD_NAME_MAX,
  OPTION_LABEL_MAX,
  OPTIONS_MAX,
  PROBABILITY_MAX,
  TEXT_MAX_LIMIT,
  VALUES_MAX,
} from '@kith/contract/limits'
import type { ResourceName } from '@kith/contract/resource'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { createField, type Field, fieldDuplicatesQuery, managedFieldsQuery, updateField } from '../../../api/fields.ts'
import { schemaKey } from '../../../api/schema.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button, IconButton } from '../../../components/button.tsx'
import { tints } from '../../../components/class-names.ts'
import { Input, Textarea } from '../../../components/controls.tsx'
import { Select } from '../../../components/select.tsx'
import { SortableList } from '../../../components/sortable-list.tsx'
import { TintPicker } from '../../../components/tint-picker.tsx'
import type { DraftPlace } from '../../../drafts/draft-store.ts'
import { OldDraft, useFormDraft } from '../../../drafts/form-draft.tsx'
import { fieldViews } from '../../../fields/field-views.ts'
import { formatNumber } from '../../../format/numbers.ts'
import { FormField, FormFrame, GeneralProblem } from '../../../forms/form.tsx'
import { useSave } from '../../../forms/save.ts'
import { useAppearance } from '../../../resources.ts'
import { RuleSwitch } from '../page.tsx'
import {
  changesOf,
  type DraftOption,
  draftOf,
  type FieldDraft,
  type FieldDraftWithType,
  inputOf,
} from './field-draft.ts'
import { ReferenceSettings, useSuggested } from './reference-settings.tsx'

const currencyNames = new Intl.DisplayNames('en', { type: 'currency' })

const currencies = Intl.supportedValuesOf('currency').map((code) => ({
  value: code,
  label: `${code} · ${currencyNames.of(code)}`,
}))

const decimals = [
  { value: '0', label: 'None' },
  { value: '2', label: '2' },
  { value: '3', label: '3' },
]

/** Everything about a field that can be chosen. */
export function FieldForm(props: {
  place: DraftPlace
  resource: ResourceName
  field: ManagedField | undefined
  type: FieldTypeName
  start: Partial<FieldDraft> | undefined
  onSaved: ((field: Field) => void) | undefined
  onOtherType: (() => void) | undefined
  onClose(): void
}) {
  const { place, resource, field, type, start, onSaved, onOtherType, onClose } = props
  const slug = useSlug()
  const { many } = useAppearance(resource)
  const queries = useQueryClient()
  const formDraft = useFormDraft<FieldDraftWithType>(place, {
    label: field ? 'Changes' : `New field of ${many}`,
    name: field?.name ?? '',
    fresh: () => ({ ...draftOf(type, field), ...start, type }),
    shown: ({ name, description, options }) => ({ name, description, options: options.map(({ label }) => label) }),
  })
  const { begun, isOld, startOver } = formDraft
  const draft = useSuggested(formDraft.form, { resource, type })
  const change = (changes: Partial<FieldDraft>) => formDraft.change({ ...changes, type })
  const cancel = () => {
    formDraft.remove()
    onClose()
  }
  const save = async (key: string) => {
    const saved = await (field ? update(field) : create())
    formDraft.removeSaved(key)
    return saved
  }
  const update = async (field: ManagedField) => {
    const latest = await queries.fetchQuery({ ...managedFieldsQuery(slug, resource), staleTime: 0 })
    const stored = latest.find(({ id }) => id === field.id) ?? field
    return updateField(slug, field, changesOf(draft, { begun, stored }))
  }
  const create = () => {
    const code = draft.code.trim() === '' ? {} : { code: draft.code.trim() }
    return createField(slug, resource, { ...inputOf(type, draft), ...code, type })
  }
  const saving = useSave(save, {
    reload: [schemaKey(slug)],
    message: (saved) => (field ? `Saved ${saved.name}` : `Created the field ${saved.name}. Its code is ${saved.code}`),
    next: (saved) => {
      onSaved?.(saved)
      onClose()
    },
  })
  return (
    <FormFrame saving={saving} onSubmit={() => saving.mutate(formDraft.key)} className="flex flex-1 flex-col">
      <div className="grid flex-1 content-start gap-5 p-5">
        <TypeLine type={type} onOtherType={onOtherType} />
        {isOld && <OldDraft onStartOver={startOver} />}
        <FormField label="Name" name="name">
          <Input
            value={draft.name}
            onChange={({ target }) => change({ name: target.value })}
            required
            maxLength={FIELD_NAME_MAX}
            autoFocus
          />
        </FormField>
        {field ? (
          <FormField label="Code" hint="The name of the field in the API. It never changes.">
            <Input value={field.code} readOnly className="bg-sunk font-mono text-xs text-quiet" />
          </FormField>
        ) : (
          <FormField
            label="Code (optional)"
            name="code"
            hint="The name of the field in the API. By default it is derived from the name. It never changes."
          >
            <Input
              value={draft.code}
              onChange={({ target }) => change({ code: target.value })}
              maxLength={50}
              spellCheck={false}
              className="font-mono text-xs"
            />
          </FormField>
        )}
        <FormField label="Description (optional)" name="description">
          <Textarea
            rows={2}
            value={draft.description}
            onChange={({ target }) => change({ description: target.value })}
          />
        </FormField>
        <FieldTypeSettings type={type} draft={draft} onChange={change} />
        {fieldTypes[type].refersTo === 'records' && (
          <ReferenceSettings resource={resource} field={field} draft={draft} onChange={change} />
        )}
        {fieldTypes[type].hasOptions && (
          <OptionList options={draft.options} onOptions={(options) => change({ options })} />
        )}
        <FieldCounts type={type} draft={draft} onChange={change} />
        <FieldRules type={type} field={field} draft={draft} onChange={change} />
        <GeneralProblem />
      </div>
      <footer className="sticky bottom-0 flex justify-end gap-2 border-t border-line bg-raised px-5 py-3">
        <Button onClick={cancel}>Cancel</Button>
        <Button type="submit" look="primary" disabled={saving.isPending}>
          {field ? 'Save' : 'Create field'}
        </Button>
      </footer>
    </FormFrame>
  )
}

function TypeLine({ type, onOtherType }: { type: FieldTypeName; onOtherType: (() => void) | undefined }) {
  const { icon: Icon, name } = fieldViews[type]
  return (
    <div className="flex items-center gap-2 rounded-md bg-sunk px-3 py-2 text-sm">
      <Icon aria-hidden className="size-4 text-faint" />
      <span className="flex-1">{name}</span>
      {onOtherType && (
        <Button size="small" look="quiet" onClick={onOtherType}>
          Another type
        </Button>
      )}
    </div>
  )
}

/** How many values a record may hold of the field, where that is a choice. */
function FieldCounts(props: { type: FieldTypeName; draft: FieldDraft; onChange(changes: Partial<FieldDraft>): void }) {
  const { type, draft, onChange } = props
  const { repeatable } = fieldTypes[type]
  if (!repeatable) return null
  return (
    <>
      {repeatable === 'optional' && (
        <RuleSwitch
          label="Several values"
          hint="A record may hold more than one."
          checked={draft.multiple}
          onChange={(multiple) => onChange({ multiple })}
        />
      )}
      {draft.multiple && (
        <FormField label="At most" name="max_values" hint={`Values of one record, up to ${VALUES_MAX}.`}>
          <Input
            type="number"
            min={1}
            max={VALUES_MAX}
            required
            value={draft.max_values}
            onChange={({ target }) => onChange({ max_values: target.value })}
          />
        </FormField>
      )}
    </>
  )
}

/** The settings that only some types have. */
function FieldTypeSettings(props: {
  type: FieldTypeName
  draft: FieldDraft
  onChange(changes: Partial<FieldDraft>): void
}) {
  const { type, draft, onChange } = props
  const { settings = {} } = fieldTypes[type]
  return (
    <>
      {'max_length' in settings && (
        <FormField label="Longest text" name="settings.max_length" hint={`In characters, up to ${TEXT_MAX_LIMIT}.`}>
          <Input
            type="number"
            min={1}
            max={TEXT_MAX_LIMIT}
            required
            value={draft.max_length}
            onChange={({ target }) => onChange({ max_length: target.value })}
          />
        </FormField>
      )}
      {'currency' in settings && (
        <div className="grid grid-cols-[1fr_96px] gap-3">
          <FormField label="Currency" name="settings.currency">
            <Select value={draft.currency} onValueChange={(currency) => onChange({ currency })} choices={currencies} />
          </FormField>
          <FormField label="Decimals" name="settings.decimals">
            <Select value={draft.decimals} onValueChange={(decimals) => onChange({ decimals })} choices={decimals} />
          </FormField>
        </div>
      )}
    </>
  )
}

/** The rules for values. */
function FieldRules(props: {
  type: FieldTypeName
  field: ManagedField | undefined
  draft: FieldDraft
  onChange(changes: Partial<FieldDraft>): void
}) {
  const { type, field, draft, onChange } = props
  return (
    <>
      <RuleSwitch
        label="Required"
        hint="New records must have a value. Records without one stay as they are."
        checked={draft.required}
        onChange={(required) => onChange({ required })}
      />
      {fieldTypes[type].canBeUnique && (
        <>
          <RuleSwitch
            label="Unique"
            hint="No two records can have the same value, in any spelling. An upsert finds records by it."
            checked={draft.unique}
            onChange={(unique) => onChange({ unique })}
          />
          {field && draft.unique && <DuplicateCount field={field} />}
        </>
      )}
    </>
  )
}

/** How many values are held twice already: they may stay, and can be merged. */
function DuplicateCount({ field }: { field: ManagedField }) {
  const slug = useSlug()
  const { data: count, error } = useQuery(fieldDuplicatesQuery(slug, field.id))
  if (error) return <p className="text-xs text-danger">{error.message}</p>
  if (count === undefined) return <p className="text-xs text-faint">Counting duplicates…</p>
  if (count === 0) return <p className="text-xs text-success">No two records have the same value.</p>
  return (
    <p className="rounded-md bg-warning-soft px-3 py-2 text-xs text-warning">
      {count === 1 ? 'One value is' : `${formatNumber(count)} values are`} held by more than one record. These records
      stay as they are. New duplicates are refused.{' '}
      {field.unique && (
        <Link
          to="/$workspace/duplicates"
          params={{ workspace: slug }}
          search={{ of: field.entity_type }}
          className="font-medium underline"
        >
          See the duplicates
        </Link>
      )}
      {!field.unique && 'Once you save, you can merge them under Duplicates.'}
    </p>
  )
}

/** The options of a choice: named, coloured, put in order. Enter begins the next one. */
function OptionList(props: { options: readonly DraftOption[]; onOptions(options: readonly DraftOption[]): void }) {
  const { options, onOptions } = props
  const list = useRef<HTMLFieldSetElement>(null)
  const [hasProbabilities, setHasProbabilities] = useState(options.some(({ probability }) => known(probability)))
  const change = (key: string, changes: Partial<DraftOption>) =>
    onOptions(options.map((option) => (option.key === key ? { ...option, ...changes } : option)))
  const add = () => {
    const color = tints[options.length % tints.length] ?? 'gray'
    // The new line is drawn at once, so that it gets the next key.
    flushSync(() => onOptions([...options, { key: newId(Date.now()), label: '', color }]))
    const inputs = list.current?.querySelectorAll<HTMLInputElement>('input:not([type="number"])') ?? []
    ;[...inputs].at(-1)?.focus()
  }
  return (
    <fieldset ref={list}>
      <legend className="mb-1.5 text-xs font-medium text-quiet">Options</legend>
      <SortableList
        label="Options"
        items={options}
        idOf={({ key }) => key}
        nameOf={({ label }) => label || 'the option without a name'}
        onOrder={onOptions}
        className="gap-1.5 py-0.5"
      >
        {(option, index) => (
          <>
            <TintPicker
              label={`Colour of ${option.label || `option ${index + 1}`}`}
              tint={option.color}
              onTint={(color) => change(option.key, { color })}
            />
            <Input
              aria-label={`Option ${index + 1}`}
              value={option.label}
              maxLength={OPTION_LABEL_MAX}
              onChange={({ target }) => change(option.key, { label: target.value })}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return
                event.preventDefault()
                if (option.label.trim() !== '') add()
              }}
            />
            {hasProbabilities && (
              <div className="w-18 shrink-0">
                <Input
                  type="number"
                  min={0}
                  max={PROBABILITY_MAX}
                  aria-label={`Probability of ${option.label || `option ${index + 1}`} in percent`}
                  placeholder="%"
                  value={option.probability ?? ''}
                  onChange={({ target }) =>
                    change(option.key, { probability: target.value === '' ? null : Number(target.value) })
                  }
                />
              </div>
            )}
            <IconButton
              label={`Remove ${option.label || `option ${index + 1}`}`}
              onClick={() => onOptions(options.filter(({ key }) => key !== option.key))}
            >
              <X />
            </IconButton>
          </>
        )}
      </SortableList>
      <div className="mt-1.5 flex items-center justify-between gap-3">
        <Button size="small" disabled={options.length >= OPTIONS_MAX} onClick={add}>
          <Plus aria-hidden />
          Add an option
        </Button>
        <p className="text-xs text-faint">Removing an option clears it from records.</p>
      </div>
      <div className="mt-3">
        <RuleSwitch
          label="Probabilities"
          hint="How likely a record with the option is won, in percent: 100 is won, 0 is lost. Forecasts use them."
          checked={hasProbabilities}
          onChange={(on) => {
            setHasProbabilities(on)
            if (!on)
              onOptions(
                options.map((option) => (known(option.probability) ? { ...option, probability: null } : option)),
              )
          }}
        />
      </div>
    </fieldset>
  )
}

function known(probability: number | null | undefined): boolean {
  return typeof probability === 'number'
}
