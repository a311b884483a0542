import type { ManagedField } from '@kith/contract/app/fields'
import type { FieldTypeName } from '@kith/contract/field-type-name'
import type { ResourceName } from '@kith/contract/resource'
import { X } from 'lucide-react'
import { useState } from 'react'
import type { Field } from '../../../api/fields.ts'
import { useSlug } from '../../../api/workspace.ts'
import { IconButton } from '../../../components/button.tsx'
import { Sheet } from '../../../components/dialog.tsx'
import { NEW } from '../../../drafts/draft-store.ts'
import { draftAt } from '../../../drafts/drafts.ts'
import { keptIn } from '../../../drafts/form-draft.tsx'
import { fieldViews } from '../../../fields/field-views.ts'
import { useAppearance } from '../../../resources.ts'
import type { FieldDraft, FieldDraftWithType } from './field-draft.ts'
import { FieldForm } from './field-form.tsx'

type Props = {
  resource: ResourceName
  /** The field that is changed; a new one without. */
  field?: ManagedField
  /** The first values of a new field, where they are known. */
  start?: { type: FieldTypeName; draft: Partial<FieldDraft> }
  onSaved?(field: Field): void
  onClose(): void
}

/** Makes a field in two steps, its type and then the rest, or changes one. */
export function FieldSheet({ resource, field, start, onSaved, onClose }: Props) {
  const { many } = useAppearance(resource)
  const place = {
    slug: useSlug(),
    resource: 'fields',
    id: field?.id ?? NEW,
    property: placeOf(resource, start),
  } as const
  // A new field that was left unfinished opens again.
  const [type, setType] = useState(
    () => field?.type ?? start?.type ?? keptIn<FieldDraftWithType>(draftAt(place))?.form.type,
  )
  const title = field ? `Edit ${field.name}` : `New field of ${many}`
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

// The keys of this object are the names of the types.
const types = Object.keys(fieldViews) as FieldTypeName[]

const groups = Map.groupBy(types, (type) => fieldViews[type].group)

/** The types of fields, to choose one from. It cannot be changed later. */
function TypePicker({ onPick }: { onPick(type: FieldTypeName): void }) {
  return (
    <div className="p-3 pb-6">
      <p className="px-2 py-1 text-sm text-quiet">Choose the type of its values. You cannot change it later.</p>
      {[...groups].map(([group, types]) => (
        <section key={group} aria-label={group} className="mt-3">
          <h3 className="px-2 pb-1 text-xs text-faint">{group}</h3>
          {types.map((type) => {
            const { icon: Icon, name, about } = fieldViews[type]
            return (
              <button
                key={type}
                type="button"
                onClick={() => onPick(type)}
                className="flex min-h-9 w-full items-center gap-3 rounded-md px-2 py-1 text-left hover:bg-hover"
              >
                <Icon aria-hidden className="size-4 shrink-0 text-faint" />
                <span className="w-32 shrink-0 text-sm">{name}</span>
                <span className="min-w-0 flex-1 text-xs text-faint">{about}</span>
              </button>
            )
          })}
        </section>
      ))}
    </div>
  )
}
