import { roleMay } from '@kith/contract/permissions'
import { useEffect, useRef, useState } from 'react'
import type { ApiRecord } from '../api/records.ts'
import { useWorkspace } from '../api/workspace.ts'
import { classNames } from '../components/class-names.ts'
import type { Property } from '../properties/property.ts'
import { isEditable, nextChange } from '../properties/property-view.ts'
import { type IncludedRecords, withIncluded } from '../properties/related.ts'
import { ShowProperty } from '../properties/show-property.tsx'
import { ConflictPanel } from './conflict-panel.tsx'
import { DraftedProperty, DraftNote } from './drafted-property.tsx'
import { usePropertyDraft } from './property-draft.ts'

type Props = { property: Property; record: ApiRecord; included: IncludedRecords; className?: string }

/**
 * A value that is edited in place: click or Enter edits, Enter saves, Escape cancels.
 */
export function EditableProperty(props: Props) {
  const { role } = useWorkspace()
  return isEditable(props.property) && roleMay(role, 'update') ? <Editable {...props} /> : <Value {...props} />
}

function Editable({ property, record, included: known, className }: Props) {
  const place = useRef<HTMLButtonElement>(null)
  const [editing, setEditing] = useState(false)
  const own = usePropertyDraft(property, record, editing)
  const { draft, shown } = own
  const included = withIncluded(known, draft?.change.included)
  const close = () => {
    setEditing(false)
    // Unless the user went on to something else.
    requestAnimationFrame(() => document.activeElement === document.body && place.current?.focus())
  }
  const begin = () => {
    const next = nextChange(property, shown)
    if (next) own.save(next)
    else setEditing(true)
  }
  // The table next to this page may have edited the same value.
  const wasEdited = useRef(false)
  if (editing) wasEdited.current = true
  useRefused(draft?.state === 'refused' ? draft.key : undefined, () => wasEdited.current && setEditing(true))
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
        <div
          aria-busy={draft !== undefined}
          className={classNames(
            'pointer-events-none relative [&_a]:pointer-events-auto',
            pageLook,
            draft && 'opacity-60',
          )}
        >
          <ShowProperty property={property} record={shown} included={included} all />
        </div>
        {editing && (
          <div className="absolute inset-0">
            <DraftedProperty
              property={property}
              own={own}
              included={included}
              onClose={close}
              onReopen={() => setEditing(true)}
            />
          </div>
        )}
      </div>
      {draft && <ConflictPanel property={property} record={record} included={included} draft={draft} />}
      {!editing && (
        <div className="px-2">
          <DraftNote own={own} onEdit={begin} />
        </div>
      )}
    </div>
  )
}

/** Calls back when a value has just been refused, unless the user types something else meanwhile. */
function useRefused(key: string | undefined, reopen: () => void): void {
  const known = useRef(key)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal
  useEffect(() => {
    if (key === undefined || key === known.current) return
    known.current = key
    if (!document.activeElement?.matches('input, textarea, [contenteditable="true"]')) reopen()
  }, [key])
}

/** Values take the lines that they need. Missing ones are shown, so that users find where to enter them. */
const pageLook =
  "empty:before:text-faint empty:before:content-['Empty'] " +
  '[&_.block.truncate]:whitespace-normal [&_.block.truncate]:wrap-anywhere [&_.flex.overflow-hidden]:flex-wrap ' +
  '[&_.flex.overflow-hidden>*]:max-w-full'

function Value({ className, ...shown }: Props) {
  return (
    <div className={classNames('min-h-7 px-2 py-1 text-sm', pageLook, className)}>
      <ShowProperty {...shown} all />
    </div>
  )
}
