import type { ManagedField } from '@kith/contract/app/fields'
import type { FieldTypeName } from '@kith/contract/field-type'
import { TEXT_MAX_DEFAULT, VALUES_DEFAULT } from '@kith/contract/limits'
import type { FieldInput, OptionInput } from '../../../api/managed-fields.ts'
import { canBeUnique, hasOptions, isRepeatable } from './type-traits.ts'

/** An option on its way: `key` tells it from the others before it has an id. */
export type DraftOption = OptionInput & { key: string }

/** A field as it stands in its form: numbers as they are typed. */
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
}

export function draftOf(type: FieldTypeName, field: ManagedField | undefined): FieldDraft {
  return {
    name: field?.name ?? '',
    code: field?.code ?? '',
    description: field?.description ?? '',
    required: field?.required ?? false,
    unique: field?.unique ?? false,
    multiple: field?.multiple ?? type === 'tags-input',
    max_values: String(field && field.max_values > 1 ? field.max_values : VALUES_DEFAULT),
    currency: field?.settings.currency ?? 'USD',
    decimals: String(field?.settings.decimals ?? 2),
    max_length: String(field?.settings.max_length ?? TEXT_MAX_DEFAULT),
    options: (field?.options ?? []).map((option) => ({ ...option, key: option.id })),
  }
}

/** What is sent: only what a field of the type has. What is no number is sent as it is, and refused with the reason. */
export function inputOf(type: FieldTypeName, draft: FieldDraft): FieldInput {
  const counted = type === 'tags-input' || (isRepeatable(type) && draft.multiple)
  return {
    name: draft.name,
    description: draft.description.trim() === '' ? null : draft.description,
    required: draft.required,
    ...(canBeUnique(type) ? { unique: draft.unique } : {}),
    ...(isRepeatable(type) ? { multiple: draft.multiple } : {}),
    ...(counted ? { max_values: Number(draft.max_values) } : {}),
    ...settingsOf(type, draft),
    ...(hasOptions(type)
      ? { options: draft.options.filter(({ label }) => label.trim() !== '').map(({ key: _, ...option }) => option) }
      : {}),
  }
}

function settingsOf(type: FieldTypeName, { currency, decimals, max_length }: FieldDraft): Pick<FieldInput, 'settings'> {
  if (type === 'text') return { settings: { max_length: Number(max_length) } }
  if (type !== 'currency') return {}
  return { settings: { currency, decimals: decimals === '0' ? 0 : decimals === '3' ? 3 : 2 } }
}
