import { useState } from 'react'
import { EditProperty } from '../../properties/edit-property.tsx'
import type { Property } from '../../properties/property.ts'
import { nextChange } from '../../properties/property-view.ts'
import { ShowProperty } from '../../properties/show-property.tsx'
import type { Draft } from './draft.ts'

type Values = Pick<Draft, 'record' | 'included' | 'errors' | 'change'>

/** One value of a draft, with its name before it. */
export function DraftLine({ property, draft }: { property: Property; draft: Values }) {
  // The values when the editor was opened.
  const [edited, setEdited] = useState<Draft['record']>()
  const problems = Object.entries(draft.errors).flatMap(([path, told]) =>
    path === property.key || path.startsWith(`${property.key}.`) ? told : [],
  )
  const begin = () => {
    const next = nextChange(property, draft.record)
    if (next) draft.change(next)
    else setEdited(draft.record)
  }
  const close = () => setEdited(undefined)
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
          {edited && (
            <div className="absolute inset-0">
              <EditProperty
                property={property}
                record={edited}
                included={draft.included}
                onChange={(change) => {
                  draft.change(change)
                  close()
                }}
                onType={draft.change}
                onLeave={close}
                onCancel={close}
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
