import { useRef } from 'react'
import type { ApiRecord } from '../api/records.ts'
import { classNames } from '../components/class-names.ts'
import { EditProperty } from './edit-property.tsx'
import type { Property } from './property.ts'
import { usePropertyEditing } from './property-editing.ts'
import type { Included } from './related.ts'
import { ShowProperty } from './show-property.tsx'
import { TextConflictPanel } from './text-conflict.tsx'

type Props = { property: Property; record: ApiRecord; included: Included; className?: string }

/**
 * A value that is edited in place: click or Enter edits, Enter saves, Escape cancels.
 */
export function EditableProperty({ property, record, included, className }: Props) {
  const place = useRef<HTMLButtonElement>(null)
  const { editable, editing, failure, conflict, begin, save, cancel } = usePropertyEditing(property, record)
  const back = () => requestAnimationFrame(() => place.current?.focus())
  if (!editable) return <Value property={property} record={record} included={included} className={className} />
  return (
    <div className={className}>
      <div className="relative min-h-7 rounded-sm px-2 py-1 text-sm hover:bg-hover">
        {/* It lies below the value, whose links stay links. */}
        <button
          ref={place}
          type="button"
          aria-label={`Edit ${property.label}`}
          onClick={begin}
          className="absolute inset-0 rounded-sm"
        />
        <div className={classNames('pointer-events-none relative [&_a]:pointer-events-auto', pageLook)}>
          <ShowProperty property={property} record={record} included={included} all />
        </div>
        {editing && (
          <div className="absolute inset-0">
            <EditProperty
              property={property}
              record={record}
              included={included}
              onChange={(change) => {
                save(change)
                back()
              }}
              onCancel={() => {
                cancel()
                back()
              }}
            />
          </div>
        )}
      </div>
      {conflict && <TextConflictPanel label={property.label} conflict={conflict} />}
      {failure && (
        <p role="alert" className="px-2 text-xs text-danger">
          {failure}
        </p>
      )}
    </div>
  )
}

/** Values take the lines that they need. Missing ones are shown, so that users find where to enter them. */
const pageLook =
  "empty:before:text-faint empty:before:content-['Empty'] " +
  '[&_.block.truncate]:whitespace-normal [&_.block.truncate]:wrap-anywhere [&_.flex.overflow-hidden]:flex-wrap'

function Value({ className, ...shown }: Props) {
  return (
    <div className={classNames('min-h-7 px-2 py-1 text-sm', pageLook, className)}>
      <ShowProperty {...shown} all />
    </div>
  )
}
