import type { ManagedField } from '@kith/contract/app/fields'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { fieldDuplicatesQuery } from '../../../api/managed-fields.ts'
import { useSlug } from '../../../api/workspace.ts'
import { formatNumber } from '../../../format/numbers.ts'
import type { FieldDraft } from './field-draft.ts'
import { RuleSwitch } from './rule-switch.tsx'

type Props = {
  type: FieldTypeName
  field: ManagedField | undefined
  draft: FieldDraft
  onChange(changes: Partial<FieldDraft>): void
}

/** What is demanded of values. */
export function FieldRules({ type, field, draft, onChange }: Props) {
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
