import type { ResourceName } from '@kith/contract/resource'
import type { FormEvent } from 'react'
import { nameOf } from '../../api/records.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { FormField } from '../../components/form-field.tsx'
import { Input } from '../../components/input.tsx'
import type { PropertyOf } from '../../properties/property.ts'
import { nameChange } from '../../properties/property-change.ts'
import { isEditable } from '../../properties/property-view.ts'
import { useProperties } from '../../properties/use-properties.ts'
import { appearances } from '../../resources.ts'
import { useDraft } from './draft.ts'
import { DraftLine } from './draft-line.tsx'

type Props = { resource: ResourceName; onClose(): void }

/** A new record where there is no table to write it into. */
export function DraftDialog({ resource, onClose }: Props) {
  const draft = useDraft(resource, onClose)
  const properties = useProperties(resource)
  const name = properties.find((property): property is PropertyOf<'name'> => property.kind === 'name')
  const others = properties.filter((property) => isEditable(property) && property.kind !== 'name')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    draft.create()
  }
  const discard = () => {
    draft.discard()
    onClose()
  }
  return (
    <Dialog open forgets onOpenChange={discard} title={`New ${appearances[resource].one}`}>
      <form onSubmit={submit} className="grid gap-3">
        <FormField label={name?.label ?? 'Name'} errors={draft.errors[name?.key ?? 'name']}>
          <Input
            dir="auto"
            required
            readOnly={draft.busy}
            value={nameOf(draft.record)}
            onChange={(event) => name && draft.change(nameChange(name, event.target.value))}
          />
        </FormField>
        {others.map((property) => (
          <DraftLine key={property.key} property={property} draft={draft} />
        ))}
        {draft.message && Object.keys(draft.errors).length === 0 && (
          <p role="alert" className="text-sm text-danger">
            {draft.message}
          </p>
        )}
        <DialogActions>
          <Button onClick={discard}>Cancel</Button>
          <Button type="submit" look="primary" disabled={draft.busy}>
            {draft.busy ? 'Creating…' : 'Create'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
