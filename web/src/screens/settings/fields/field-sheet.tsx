import type { ManagedField } from '@kith/contract/app/fields'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import type { ResourceName } from '@kith/contract/resource'
import { X } from 'lucide-react'
import { useState } from 'react'
import { draftAt, NEW } from '../../../api/drafts.ts'
import type { Field } from '../../../api/fields.ts'
import { keptIn } from '../../../api/form-draft.ts'
import { useSlug } from '../../../api/workspace.ts'
import { IconButton } from '../../../components/icon-button.tsx'
import { Sheet } from '../../../components/sheet.tsx'
import { appearances } from '../../../resources.ts'
import type { FieldDraft, TypedDraft } from './field-draft.ts'
import { FieldForm } from './field-form.tsx'
import { TypePicker } from './type-picker.tsx'

type Props = {
  resource: ResourceName
  /** The field that is changed; a new one without. */
  field?: ManagedField
  /** What a new field begins with, where it is known. */
  start?: { type: FieldTypeName; draft: Partial<FieldDraft> }
  onSaved?(field: Field): void
  onClose(): void
}

/** Makes a field in two steps, its type and then the rest, or changes one. */
export function FieldSheet({ resource, field, start, onSaved, onClose }: Props) {
  const place = {
    slug: useSlug(),
    resource: 'fields',
    id: field?.id ?? NEW,
    property: placeOf(resource, start),
  } as const
  // A new field that was left unfinished opens again.
  const [type, setType] = useState(() => field?.type ?? start?.type ?? keptIn<TypedDraft>(draftAt(place))?.form.type)
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
            key={type}
            place={place}
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

/** A field that an import needs is not the one that the user began in the settings. */
function placeOf(resource: ResourceName, start: Props['start']): string {
  return start ? `${resource} ${start.draft.name}` : resource
}
