import { discardDraft, sendAgain } from '../api/settle-draft.ts'
import { Button } from '../components/button.tsx'
import type { PropertyDraft } from './property-draft.ts'

type Props = { own: PropertyDraft; onEdit(): void }

/** Says that the value next to it is not saved, why, and what can be done. */
export function DraftNote({ own: { draft, problem }, onEdit }: Props) {
  if (!draft || draft.state === 'conflict') return null
  if (draft.state === 'waiting' && problem === undefined) return null
  const isOpen = draft.state === 'waiting'
  return (
    <div className="flex flex-wrap items-center gap-x-1 text-xs text-danger">
      <p role={draft.state === 'refused' ? 'alert' : 'status'} className="min-w-0 py-1 whitespace-normal wrap-anywhere">
        {problem === undefined ? 'Not saved yet.' : `Not saved: ${problem}`}
      </p>
      {!isOpen && (
        <span className="flex">
          <Button size="small" look="quiet" onClick={onEdit}>
            Edit
          </Button>
          {draft.state === 'refused' && (
            <Button size="small" look="quiet" onClick={() => sendAgain(draft)}>
              Try again
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
