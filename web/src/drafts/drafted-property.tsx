import { Button } from '../components/button.tsx'
import { EditState } from '../fields/edit-state.tsx'
import { EditProperty } from '../properties/edit-property.tsx'
import type { Property } from '../properties/property.ts'
import { isLongText } from '../properties/property-view.ts'
import type { IncludedRecords } from '../properties/related.ts'
import { discardDraft, sendAgain } from './drafts.ts'
import type { PropertyDraft } from './property-draft.ts'

/** The editor of a property of a record. Its text is a draft until the service has stored it. */
export function DraftedProperty(props: {
  property: Property
  own: PropertyDraft
  included: IncludedRecords
  onClose(): void
  onReopen(): void
}) {
  const { property, own, included, onClose, onReopen } = props
  const { draft, problem, status } = own
  return (
    <EditState
      value={{
        problem: draft?.state === 'refused' ? problem : undefined,
        status: isLongText(property) ? status : undefined,
        failed: problem !== undefined,
        revision: own.revision,
      }}
    >
      <EditProperty
        property={property}
        record={own.edited}
        included={included}
        begun={own.begun}
        onType={own.type}
        onChange={(change) => {
          own.save(change)
          onClose()
        }}
        onLeave={() => {
          own.leave()
          onClose()
        }}
        onCancel={() => {
          own.cancel(onReopen)
          onClose()
        }}
      />
    </EditState>
  )
}

/** Says that the value next to it is not saved and why, and offers the next steps. */
export function DraftNote(props: {
  own: Pick<PropertyDraft, 'draft' | 'problem'>
  /** Absent where the value has no editor, such as the column of a card. */
  onEdit?(): void
}) {
  const {
    own: { draft, problem },
    onEdit,
  } = props
  if (!draft) return null
  // An editor shows both values.
  if (draft.state === 'conflict' && onEdit) return null
  if (draft.state === 'waiting' && problem === undefined) return null
  const isOpen = draft.state === 'waiting'
  return (
    <div className="flex flex-wrap items-center gap-x-1 text-xs text-danger">
      <p
        role={draft.state === 'typing' || isOpen ? 'status' : 'alert'}
        className="min-w-0 py-1 whitespace-normal wrap-anywhere"
      >
        {problem === undefined ? 'Not saved yet.' : `Not saved: ${problem}`}
      </p>
      {!isOpen && (
        <span className="flex">
          {onEdit && (
            <Button size="small" look="quiet" onClick={onEdit}>
              Edit
            </Button>
          )}
          {draft.state !== 'typing' && (
            <Button size="small" look="quiet" onClick={() => sendAgain(draft)}>
              {draft.state === 'conflict' ? 'Keep mine' : 'Try again'}
            </Button>
          )}
          <Button size="small" look="quiet" onClick={() => discardDraft(draft)}>
            Discard
          </Button>
        </span>
      )}
    </div>
  )
}
