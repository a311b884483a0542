import type { ManagedField } from '@kith/contract/app/fields'
import type { FieldTypeName } from '@kith/contract/field-type'
import type { ResourceName } from '@kith/contract/resource'
import { X } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../../components/icon-button.tsx'
import { Sheet } from '../../../components/sheet.tsx'
import { appearances } from '../../../resources.ts'
import { FieldForm } from './field-form.tsx'
import { TypePicker } from './type-picker.tsx'

type Props = {
  resource: ResourceName
  /** The field that is changed; a new one without. */
  field?: ManagedField
  onClose(): void
}

/** Makes a field in two steps, its type and then the rest, or changes one. */
export function FieldSheet({ resource, field, onClose }: Props) {
  const [type, setType] = useState<FieldTypeName | undefined>(field?.type)
  const title = field ? `Edit ${field.name}` : `New field of ${appearances[resource].many.toLowerCase()}`
  return (
    <Sheet open onOpenChange={onClose} title={title} side="right" className="w-120">
      <div className="flex min-h-full flex-col">
        <header className="flex h-12 shrink-0 items-center justify-between gap-4 border-b border-line pr-2 pl-5">
          <p aria-hidden className="truncate text-base font-semibold">
            {title}
          </p>
          <IconButton label="Close" onClick={onClose}>
            <X />
          </IconButton>
        </header>
        {type === undefined ? (
          <TypePicker onPick={setType} />
        ) : (
          <FieldForm
            resource={resource}
            field={field}
            type={type}
            onOtherType={field ? undefined : () => setType(undefined)}
            onClose={onClose}
          />
        )}
      </div>
    </Sheet>
  )
}
