import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { TEXT_MAX_LIMIT } from '@kith/contract/limits'
import type { Problems } from '../../../api/problems.ts'
import { FormField } from '../../../components/form-field.tsx'
import { Input } from '../../../components/input.tsx'
import { Select } from '../../../components/select.tsx'
import type { FieldDraft } from './field-draft.ts'

type Props = {
  type: FieldTypeName
  draft: FieldDraft
  onChange(changes: Partial<FieldDraft>): void
  problems: Problems
}

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

/** The settings that only some types have. */
export function FieldTypeSettings({ type, draft, onChange, problems }: Props) {
  const { settings = {} } = fieldTypes[type]
  return (
    <>
      {'max_length' in settings && (
        <FormField
          label="Longest text"
          hint={`In characters, up to ${TEXT_MAX_LIMIT}.`}
          errors={problems.at('settings.max_length')}
        >
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
          <FormField label="Currency" errors={problems.at('settings.currency')}>
            <Select value={draft.currency} onValueChange={(currency) => onChange({ currency })} choices={currencies} />
          </FormField>
          <FormField label="Decimals" errors={problems.at('settings.decimals')}>
            <Select value={draft.decimals} onValueChange={(decimals) => onChange({ decimals })} choices={decimals} />
          </FormField>
        </div>
      )}
    </>
  )
}
