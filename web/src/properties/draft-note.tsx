import { discardDraft, sendAgain } from '../api/settle-draft.ts'
import { Button } from '../components/button.tsx'
import type { PropertyDraft } from './property-draft.ts'

type Props = {
  own: Pick<PropertyDraft, 'draft' | 'problem'>
  /** Absent where the value has no editor, such as the column of a card. */
  onEdit?(): void
}

/** Says that the value next to it is not saved, why, and what can be done. */
export function DraftNote({ own: { draft, problem }, onEdit }: Props) {
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
