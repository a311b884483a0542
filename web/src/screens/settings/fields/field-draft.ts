import type { ManagedField } from '@kith/contract/app/fields'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { TEXT_MAX_DEFAULT, VALUES_DEFAULT } from '@kith/contract/limits'
import type { FieldInput, OptionInput } from '../../../api/fields.ts'

/** An option in the form. `key` identifies it before it has an id. */
export type DraftOption = OptionInput & { key: string }

/** A field while its form is open. Numbers are kept as typed. */
export type FieldDraft = {
  name: string
  code: string
  description: string
  required: boolean
  unique: boolean
  multiple: boolean
  max_values: string
  currency: string
  decimals: string
  max_length: string
  options: readonly DraftOption[]
  /** The resource of the records that a record field refers to, and whether it gets a relation in return. */
  target: string
  inverse: boolean
  /** Absent as long as they are what the names suggest. */
  inverse_name?: string
  inverse_code?: string
}

/** A field with its type, as the browser keeps it. */
export type FieldDraftWithType = FieldDraft & { type: FieldTypeName }

export function draftOf(type: FieldTypeName, field: ManagedField | undefined): FieldDraft {
  return {
    name: field?.name ?? '',
    code: field?.code ?? '',
    description: field?.description ?? '',
    required: field?.required ?? false,
    unique: field?.unique ?? false,
    multiple: field?.multiple ?? fieldTypes[type].repeatable === 'always',
    max_values: String(field && field.max_values > 1 ? field.max_values : VALUES_DEFAULT),
    currency: field?.settings.currency ?? 'USD',
    decimals: String(field?.settings.decimals ?? 2),
    max_length: String(field?.settings.max_length ?? TEXT_MAX_DEFAULT),
    options: (field?.options ?? []).map((option) => ({ ...option, key: option.id })),
    ...referenceIn(field),
  }
}

function referenceIn(field: ManagedField | undefined): Pick<FieldDraft, 'target' | 'inverse'> {
  const { target = '', inverse } = field?.settings ?? {}
  const names = inverse && { inverse_name: inverse.name, inverse_code: inverse.code }
  return { target, inverse: field === undefined || Boolean(inverse), ...names }
}

/** Only the properties that the type has. A text that is not a number is sent as it is: the API says what is wrong. */
export function inputOf(type: FieldTypeName, draft: FieldDraft): FieldInput {
  const { canBeUnique, hasOptions, repeatable } = fieldTypes[type]
  return {
    name: draft.name,
    description: draft.description.trim() === '' ? null : draft.description,
    required: draft.required,
    ...(canBeUnique ? { unique: draft.unique } : {}),
    ...(repeatable === 'optional' ? { multiple: draft.multiple } : {}),
    ...(repeatable && draft.multiple ? { max_values: Number(draft.max_values) } : {}),
    ...settingsOf(type, draft),
    ...referenceOf(type, draft),
    ...(hasOptions
      ? { options: draft.options.filter(({ label }) => label.trim() !== '').map(({ key: _, ...option }) => option) }
      : {}),
  }
}

function referenceOf(type: FieldTypeName, draft: FieldDraft): Pick<FieldInput, 'target' | 'inverse'> {
  if (fieldTypes[type].refersTo !== 'records') return {}
  const { target, inverse, inverse_name = '', inverse_code = '' } = draft
  const code = inverse_code.trim() === '' ? {} : { code: inverse_code.trim() }
  return { ...(target !== '' && { target }), inverse: inverse ? { name: inverse_name, ...code } : null }
}

/** The settings that differ from the field that the draft began with. Later changes of others stay. */
export function changesOf(
  draft: FieldDraftWithType,
  { begun, stored }: { begun: FieldDraft; stored: ManagedField },
): Partial<FieldInput> {
  const { type } = draft
  const before: Readonly<Record<string, unknown>> = inputOf(type, begun)
  const changed = Object.entries(inputOf(type, draft)).filter(([key, value]) => !isSame(value, before[key]))
  const changes: Partial<FieldInput> = Object.fromEntries(changed)
  if (!changes.options) return changes
  return { ...changes, options: inputOf(type, { ...draft, options: withOthers(draft, begun, stored) }).options ?? [] }
}

/** The options of a draft with those that others have added, renamed and removed since it was begun. */
function withOthers(draft: FieldDraft, begun: FieldDraft, { options: stored }: ManagedField): DraftOption[] {
  const own = draft.options.flatMap((option) => {
    const first = begun.options.find(({ key }) => key === option.key)
    const now = stored.find(({ id }) => id === option.id)
    if (!first) return [option]
    return now ? [isSame(option, first) ? { ...now, key: option.key } : option] : []
  })
  const added = stored.filter(({ id }) => !begun.options.some((option) => option.id === id))
  return [...own, ...added.map((option) => ({ ...option, key: option.id }))]
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function settingsOf(type: FieldTypeName, { currency, decimals, max_length }: FieldDraft): Pick<FieldInput, 'settings'> {
  const { settings } = fieldTypes[type]
  if (!settings) return {}
  return {
    settings: {
      ...('max_length' in settings ? { max_length: Number(max_length) } : {}),
      ...('currency' in settings ? { currency } : {}),
      ...('decimals' in settings ? { decimals: decimals === '0' ? 0 : decimals === '3' ? 3 : 2 } : {}),
    },
  }
}
