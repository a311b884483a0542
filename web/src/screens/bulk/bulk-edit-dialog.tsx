import { fieldTypes } from '@kith/contract/field-types'
import type { ResourceName } from '@kith/contract/resource'
import { useState } from 'react'
import { type BulkAction, type BulkRecords, type EditOp, startBulk } from '../../api/bulk.ts'
import type { RecordInput } from '../../api/patch-record.ts'
import { useResource } from '../../api/schema.ts'
import { useApiAddress } from '../../api/session.ts'
import { useSlug } from '../../api/workspace.ts'
import { Select } from '../../components/select.tsx'
import { DraftLine } from '../../drafts/draft-dialog.tsx'
import { useDraftValues } from '../../drafts/new-record.ts'
import { FormDialog, FormField } from '../../forms/form.tsx'
import { type Property, useProperties } from '../../properties/property.ts'
import { attributeOf, iconOf, isEditable } from '../../properties/property-view.ts'
import { appearanceOf, counted } from '../../resources.ts'
import { UseInApi } from '../use-in-api/use-in-api.tsx'
import { bulkCalls } from './bulk-calls.ts'

/** Changes one property of many records. */
export function BulkEditDialog(props: {
  resource: ResourceName
  records: BulkRecords
  count: number
  onClose(): void
  onStart(): void
}) {
  const { resource, records, count, onClose, onStart } = props
  const definition = useResource(resource)
  const words = appearanceOf(definition)
  const slug = useSlug()
  const api = useApiAddress()
  const properties = useProperties(resource).filter((one) => isEditable(one) && opsOf(one, count).length > 0)
  // The name of a record is rarely the same for many.
  const first = properties.find(({ kind }) => kind !== 'name') ?? properties[0]
  const [key, setKey] = useState(first?.key)
  const [chosenOp, setOp] = useState<EditOp>('set')
  const property = properties.find((one) => one.key === key)
  // Someone else has deleted the chosen field. Nothing of another one is to be cleared by mistake.
  if (!property && first) {
    setKey(first.key)
    setOp('set')
  }
  const values = useDraftValues(resource)
  if (!property) return null
  const ops = opsOf(property, count)
  const op = ops.includes(chosenOp) ? chosenOp : (ops[0] ?? 'clear')
  const value = valueIn(property, values.input)
  const isReady = op === 'clear' || value !== undefined
  const action: BulkAction = { kind: 'edit', label: property.label, attribute: attributeOf(property), op, value }
  const submit = () => {
    if (!isReady) return
    startBulk({ slug, resource, words, action, records })
    onStart()
  }
  return (
    <FormDialog
      title={`Edit ${counted(count, words)}`}
      description="The same change for all of them. It can be undone."
      onSubmit={submit}
      action={`Change ${counted(count, words)}`}
      disabled={!isReady}
      className="grid grid-cols-1 gap-3"
      extra={
        <span className="flex-1">
          {isReady && (
            <UseInApi
              description="The batch that makes the same change."
              calls={async () => bulkCalls(api, { resource: definition, action, records })}
            />
          )}
        </span>
      }
      onClose={onClose}
    >
      <FormField label="Field">
        <Select value={property.key} onValueChange={setKey} choices={properties.map(choiceOf)} />
      </FormField>
      <FormField label="Change">
        <Select
          value={op}
          // The choices are those of the list of operations.
          onValueChange={(chosen) => setOp(chosen as EditOp)}
          choices={ops.map((one) => ({ value: one, label: opLabels[one] }))}
        />
      </FormField>
      {op !== 'clear' && <DraftLine key={property.key} property={property} draft={{ ...values, errors: {} }} />}
    </FormDialog>
  )
}

function choiceOf(property: Property) {
  const Icon = iconOf(property)
  return { value: property.key, label: property.label, icon: <Icon aria-hidden className="size-4 text-faint" /> }
}

const opLabels: Readonly<Record<EditOp, string>> = {
  set: 'Set to',
  clear: 'Clear',
  add: 'Add',
  remove: 'Remove',
}

/** What can be done with a property of several records. */
function opsOf(property: Property, records: number): EditOp[] {
  if (property.kind === 'name') return ['set']
  const isRequired = 'field' in property && property.field?.required
  if (property.kind === 'links') return isRequired ? ['add', 'remove', 'set'] : ['add', 'remove', 'set', 'clear']
  if (property.kind !== 'custom') return isRequired ? ['set'] : ['set', 'clear']
  const { type, required, unique } = property.field
  const isShared = !unique || records === 1
  const isList = fieldTypes[type].list
  return [
    ...(isShared ? (['set'] as const) : []),
    ...(isList && isShared ? (['add'] as const) : []),
    ...(isList ? (['remove'] as const) : []),
    ...(required ? [] : (['clear'] as const)),
  ]
}

/** The value of a property in an input. Undefined if there is none. */
function valueIn(property: Property, input: RecordInput): unknown {
  const field = 'field' in property ? property.field : undefined
  const value = field ? input.custom_fields?.[field.code] : input[attributeOf(property)]
  const isEmpty = value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  return isEmpty ? undefined : value
}
