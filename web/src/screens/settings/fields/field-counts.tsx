import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { VALUES_MAX } from '@kith/contract/limits'
import type { Problems } from '../../../api/problems.ts'
import { FormField } from '../../../components/form-field.tsx'
import { Input } from '../../../components/input.tsx'
import type { FieldDraft } from './field-draft.ts'
import { RuleSwitch } from './rule-switch.tsx'

type Props = {
  type: FieldTypeName
  draft: FieldDraft
  onChange(changes: Partial<FieldDraft>): void
  problems: Problems
}

/** How many values a record may hold of the field, where that is a choice. */
export function FieldCounts({ type, draft, onChange, problems }: Props) {
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
        <FormField
          label="At most"
          hint={`Values of one record, up to ${VALUES_MAX}.`}
          errors={problems.at('max_values')}
        >
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
