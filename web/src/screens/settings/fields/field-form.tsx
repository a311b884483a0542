import type { ManagedField } from '@kith/contract/app/fields'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { FIELD_NAME_MAX } from '@kith/contract/limits'
import type { ResourceName } from '@kith/contract/resource'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import type { DraftPlace } from '../../../api/drafts.ts'
import type { Field } from '../../../api/fields.ts'
import { useFormDraft } from '../../../api/form-draft.ts'
import { createField, managedFieldsQuery, updateField } from '../../../api/managed-fields.ts'
import { problemsOf } from '../../../api/problems.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { FormField } from '../../../components/form-field.tsx'
import { FormProblem } from '../../../components/form-problem.tsx'
import { Input, Textarea } from '../../../components/input.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { fieldViews } from '../../../fields/field-views.ts'
import { appearances } from '../../../resources.ts'
import { OldDraft } from '../old-draft.tsx'
import { FieldCounts } from './field-counts.tsx'
import { changesOf, draftOf, type FieldDraft, inputOf, type TypedDraft } from './field-draft.ts'
import { FieldRules } from './field-rules.tsx'
import { FieldTypeSettings } from './field-type-settings.tsx'
import { OptionList } from './option-list.tsx'

type Props = {
  place: DraftPlace
  resource: ResourceName
  field: ManagedField | undefined
  type: FieldTypeName
  start: Partial<FieldDraft> | undefined
  onSaved: ((field: Field) => void) | undefined
  onOtherType: (() => void) | undefined
  onClose(): void
}

const shown = [
  'name',
  'code',
  'description',
  'required',
  'unique',
  'multiple',
  'max_values',
  'settings.currency',
  'settings.decimals',
  'settings.max_length',
]

/** Everything about a field that can be chosen. */
export function FieldForm({ place, resource, field, type, start, onSaved, onOtherType, onClose }: Props) {
  const slug = useSlug()
  const queries = useQueryClient()
  const {
    form: draft,
    begun,
    key,
    isOld,
    change: put,
    startOver,
    forget,
    forgetSaved,
  } = useFormDraft<TypedDraft>(place, {
    label: field ? 'Changes' : `New field of ${appearances[resource].many.toLowerCase()}`,
    name: field?.name ?? '',
    page: useLocation({ select: ({ href }) => href }),
    fresh: () => ({ ...draftOf(type, field), ...start, type }),
    shown: ({ name, description, options }) => ({ name, description, options: options.map(({ label }) => label) }),
  })
  const change = (changes: Partial<FieldDraft>) => put({ ...changes, type })
  const cancel = () => {
    forget()
    onClose()
  }
  const saving = useMutation({
    mutationFn: async (_key: string) => {
      if (field) {
        const latest = await queries.fetchQuery({ ...managedFieldsQuery(slug, resource), staleTime: 0 })
        const stored = latest.find(({ id }) => id === field.id) ?? field
        return updateField(slug, field, changesOf(draft, { begun, stored }))
      }
      const code = draft.code.trim() === '' ? {} : { code: draft.code.trim() }
      return createField(slug, resource, { ...inputOf(type, draft), ...code, type })
    },
    onSuccess: async (saved, sent) => {
      forgetSaved(sent)
      await queries.invalidateQueries({ queryKey: [slug, 'fields'] })
      showToast({ message: field ? `Saved ${saved.name}` : `Made the field ${saved.name}, code ${saved.code}` })
      onSaved?.(saved)
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saving.mutate(key)
  }
  const problems = problemsOf(saving.error, shown)
  return (
    <form onSubmit={submit} className="flex flex-1 flex-col">
      <div className="grid flex-1 content-start gap-5 p-5">
        <TypeLine type={type} onOtherType={onOtherType} />
        {isOld && <OldDraft onStartOver={startOver} />}
        <FormField label="Name" errors={problems.at('name')}>
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
            hint="The name of the field in the API. By default it is derived from the name. It never changes."
            errors={problems.at('code')}
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
        <FormField label="Description (optional)" errors={problems.at('description')}>
          <Textarea
            rows={2}
            value={draft.description}
            onChange={({ target }) => change({ description: target.value })}
          />
        </FormField>
        <FieldTypeSettings type={type} draft={draft} onChange={change} problems={problems} />
        {fieldTypes[type].hasOptions && (
          <OptionList options={draft.options} onOptions={(options) => change({ options })} />
        )}
        <FieldCounts type={type} draft={draft} onChange={change} problems={problems} />
        <FieldRules type={type} field={field} draft={draft} onChange={change} />
        <FormProblem text={problems.general} />
      </div>
      <footer className="sticky bottom-0 flex justify-end gap-2 border-t border-line bg-raised px-5 py-3">
        <Button onClick={cancel}>Cancel</Button>
        <Button type="submit" look="primary" disabled={saving.isPending}>
          {field ? 'Save' : 'Create field'}
        </Button>
      </footer>
    </form>
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
