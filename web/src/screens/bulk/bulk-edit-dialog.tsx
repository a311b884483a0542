import type { ResourceName } from '@kith/contract/resource'
import { type FormEvent, useState } from 'react'
import type { BulkAction, BulkRecords, EditOp } from '../../api/bulk-job.ts'
import { startBulk } from '../../api/bulk-store.ts'
import { useApiAddress } from '../../api/public-address.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { FormField } from '../../components/form-field.tsx'
import { Select } from '../../components/select.tsx'
import type { Property } from '../../properties/property.ts'
import { iconOf, isEditable } from '../../properties/property-view.ts'
import { useProperties } from '../../properties/use-properties.ts'
import { counted } from '../../resources.ts'
import { useDraftValues } from '../records/draft.ts'
import { DraftLine } from '../records/draft-line.tsx'
import { UseInApi } from '../use-in-api/use-in-api.tsx'
import { bulkCalls } from './bulk-calls.ts'
import { attributeOf, opLabels, opsOf, valueIn } from './bulk-edit.ts'

type Props = { resource: ResourceName; records: BulkRecords; count: number; onClose(): void; onStart(): void }

/** Changes one property of many records. */
export function BulkEditDialog({ resource, records, count, onClose, onStart }: Props) {
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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isReady) return
    startBulk({ slug, resource, action, records })
    onStart()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Edit ${counted(count, resource)}`}
      description="The same change for all of them. It can be undone."
    >
      <form onSubmit={submit} className="grid gap-3">
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
        <DialogActions>
          <span className="flex-1">
            {isReady && (
              <UseInApi
                description="The batch that makes the same change."
                calls={async () => bulkCalls(api, { resource, action, records })}
              />
            )}
          </span>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={!isReady}>
            Change {counted(count, resource)}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function choiceOf(property: Property) {
  const Icon = iconOf(property)
  return { value: property.key, label: property.label, icon: <Icon aria-hidden className="size-4 text-faint" /> }
}
