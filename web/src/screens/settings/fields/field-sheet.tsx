import type { ManagedField } from '@kith/contract/app/fields'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import type { ResourceName } from '@kith/contract/resource'
import { X } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../../components/icon-button.tsx'
import { Sheet } from '../../../components/sheet.tsx'
import { appearances } from '../../../resources.ts'
import type { FieldDraft } from './field-draft.ts'
import { FieldForm } from './field-form.tsx'
import { TypePicker } from './type-picker.tsx'

type Props = {
  resource: ResourceName
  /** The field that is changed; a new one without. */
  field?: ManagedField
  /** What a new field begins with, where it is known. */
  start?: { type: FieldTypeName; draft: Partial<FieldDraft> }
  onSaved?(field: ManagedField): void
  onClose(): void
}

/** Makes a field in two steps, its type and then the rest, or changes one. */
export function FieldSheet({ resource, field, start, onSaved, onClose }: Props) {
  const [type, setType] = useState<FieldTypeName | undefined>(field?.type ?? start?.type)
  const title = field ? `Edit ${field.name}` : `New field of ${appearances[resource].many.toLowerCase()}`
  return (
    <Sheet open onOpenChange={onClose} title={title} side="right" className="w-120">
      <div className="flex min-h-full flex-col">
        <p
          aria-hidden
          className="flex h-12 shrink-0 items-center border-b border-line pr-12 pl-5 text-base font-semibold"
        >
          <span className="truncate">{title}</span>
        </p>
        {type === undefined ? (
          <TypePicker onPick={setType} />
        ) : (
          <FieldForm
            resource={resource}
            field={field}
            type={type}
            start={start?.draft}
            onSaved={onSaved}
            onOtherType={field ? undefined : () => setType(undefined)}
            onClose={onClose}
          />
        )}
        {/* Last, so that the first type, or the name, has the focus when it opens. */}
        <div className="absolute top-2 right-2">
          <IconButton label="Close" onClick={onClose}>
            <X />
          </IconButton>
        </div>
      </div>
    </Sheet>
  )
}
