import type { ManagedField } from '@kith/contract/app/fields'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import { fieldTypes } from '@kith/contract/field-types'
import { FIELD_NAME_MAX } from '@kith/contract/limits'
import { type ResourceName, resourceIn } from '@kith/contract/resource'
import { codeOfName } from '@kith/contract/resource-code'
import { useSchema } from '../../../api/schema.ts'
import { Input } from '../../../components/controls.tsx'
import { Select } from '../../../components/select.tsx'
import { FormField, ProblemsAt } from '../../../forms/form.tsx'
import { ResourceIcon } from '../../../resource-icon.tsx'
import { appearanceIn, appearanceOf, useAppearance } from '../../../resources.ts'
import { RuleSwitch } from '../page.tsx'
import type { FieldDraft } from './field-draft.ts'
import { suggestedInverse } from './inverse.ts'

/** The draft with the names that others suggest, where none were typed. */
export function useSuggested<Draft extends FieldDraft>(
  draft: Draft,
  { resource, type }: { resource: ResourceName; type: FieldTypeName },
): Draft {
  const schema = useSchema()
  const target = schema.get(draft.target)
  if (fieldTypes[type].refersTo !== 'records' || !draft.inverse || !target) return draft
  const inverse_name = draft.inverse_name ?? suggestedInverse(resourceIn(schema, resource), target, draft.name)
  return { ...draft, inverse_name, inverse_code: draft.inverse_code ?? codeOfName(inverse_name) }
}

/** The resource that a record field refers to, and the relation that it gets. */
export function ReferenceSettings(props: {
  resource: ResourceName
  field: ManagedField | undefined
  draft: FieldDraft
  onChange(changes: Partial<FieldDraft>): void
}) {
  const { resource, field, draft, onChange } = props
  return (
    <>
      <Target fixed={field !== undefined} target={draft.target} onTarget={(target) => onChange({ target })} />
      {draft.target !== '' && (
        <InverseSettings resource={resource} fixed={field?.settings.inverse?.code} draft={draft} onChange={onChange} />
      )}
    </>
  )
}

function Target(props: { fixed: boolean; target: ResourceName; onTarget(target: ResourceName): void }) {
  const { fixed, target, onTarget } = props
  const schema = useSchema()
  if (fixed) {
    return (
      <FormField label="Refers to" hint="It never changes.">
        <Input value={appearanceIn(schema, target).name} readOnly className="bg-sunk text-quiet" />
      </FormField>
    )
  }
  return (
    <FormField label="Refers to" name="target" hint="The resource of its records. It never changes.">
      <Select
        value={target}
        placeholder="Choose a resource"
        onValueChange={onTarget}
        choices={[...schema.values()].map((one) => {
          const look = appearanceOf(one)
          return { value: one.type, label: look.name, icon: <ResourceIcon of={look} /> }
        })}
      />
    </FormField>
  )
}

/** `fixed`: the code of the relation that the target has already. */
function InverseSettings(props: {
  resource: ResourceName
  fixed: string | undefined
  draft: FieldDraft
  onChange(changes: Partial<FieldDraft>): void
}) {
  const { resource, fixed, draft, onChange } = props
  const own = useAppearance(resource)
  const target = useAppearance(draft.target)
  return (
    <fieldset className="grid gap-3 rounded-md border border-line p-3">
      <RuleSwitch
        label={`Show ${own.many} on ${target.many}`}
        hint={`The page of each ${target.one} lists them, with their number.`}
        checked={draft.inverse}
        onChange={(inverse) => onChange({ inverse })}
      />
      {draft.inverse && (
        <div className="grid items-start gap-3 sm:grid-cols-2">
          <FormField label="Name there" name="inverse.name">
            <Input
              dir="auto"
              required
              maxLength={FIELD_NAME_MAX}
              value={draft.inverse_name ?? ''}
              onChange={({ target }) => onChange({ inverse_name: target.value })}
            />
          </FormField>
          <FormField label="Code there" name="inverse.code" hint="In the API. It never changes.">
            <Input
              required
              spellCheck={false}
              readOnly={fixed !== undefined}
              value={draft.inverse_code ?? ''}
              onChange={({ target }) => onChange({ inverse_code: target.value })}
              className={`font-mono text-xs ${fixed === undefined ? '' : 'bg-sunk text-quiet'}`}
            />
          </FormField>
        </div>
      )}
      <ProblemsAt path="inverse" />
    </fieldset>
  )
}
