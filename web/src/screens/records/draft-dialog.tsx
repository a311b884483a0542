import type { ResourceName } from '@kith/contract/resource'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { FormField } from '../../components/form-field.tsx'
import { Input } from '../../components/input.tsx'
import { fieldViews } from '../../fields/field-views.ts'
import { EditProperty } from '../../properties/edit-property.tsx'
import type { Property, PropertyOf } from '../../properties/property.ts'
import { customChange, nameChange } from '../../properties/property-change.ts'
import { isEditable } from '../../properties/property-view.ts'
import { ShowProperty } from '../../properties/show-property.tsx'
import { useProperties } from '../../properties/use-properties.ts'
import { appearances } from '../../resources.ts'
import { type Draft, useDraft } from './draft.ts'

type Props = { resource: ResourceName; onClose(): void }

/** A new record where there is no table to write it into. */
export function DraftDialog({ resource, onClose }: Props) {
  const draft = useDraft(resource)
  const properties = useProperties(resource)
  const name = properties.find((property): property is PropertyOf<'name'> => property.kind === 'name')
  const others = properties.filter((property) => isEditable(property) && property.kind !== 'name')
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = String(new FormData(event.currentTarget).get('name'))
    if (name && (await draft.create(nameChange(name, typed)))) onClose()
  }
  return (
    <Dialog open onOpenChange={onClose} title={`New ${appearances[resource].one}`}>
      <form onSubmit={submit} className="grid gap-3">
        <FormField label={name?.label ?? 'Name'} errors={draft.errors[name?.key ?? 'name']}>
          <Input name="name" dir="auto" required />
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
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={draft.busy}>
            Create
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function DraftLine({ property, draft }: { property: Property; draft: Draft }) {
  const [editing, setEditing] = useState(false)
  const problems = Object.entries(draft.errors).flatMap(([path, told]) =>
    path === property.key || path.startsWith(`${property.key}.`) ? told : [],
  )
  const begin = () => {
    const next = property.kind === 'custom' ? fieldViews[property.field.type].next : undefined
    if (property.kind !== 'custom' || !next) return setEditing(true)
    draft.change(customChange(property.field, next(draft.record.attributes.custom_fields[property.field.code] ?? null)))
  }
  return (
    <div>
      <div className="flex items-center gap-2">
        <span className="w-28 shrink-0 text-xs text-quiet">{property.label}</span>
        <div className="relative h-8 min-w-0 flex-1">
          <button
            type="button"
            aria-label={`Edit ${property.label}`}
            onClick={begin}
            className="flex size-full items-center overflow-hidden rounded-md border border-line px-2 text-left text-sm"
          >
            <ShowProperty property={property} record={draft.record} included={draft.included} />
          </button>
          {editing && (
            <div className="absolute inset-0">
              <EditProperty
                property={property}
                record={draft.record}
                included={draft.included}
                onChange={(change) => {
                  draft.change(change)
                  setEditing(false)
                }}
                onCancel={() => setEditing(false)}
              />
            </div>
          )}
        </div>
      </div>
      {problems.length > 0 && (
        <p role="alert" className="mt-1 pl-30 text-xs text-danger">
          {problems.join(' ')}
        </p>
      )}
    </div>
  )
}
