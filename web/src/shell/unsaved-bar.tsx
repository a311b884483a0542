import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { sendDrafts, useQueueFailure } from '../api/draft-queue.ts'
import { type Draft, draftKey, useAllDrafts } from '../api/drafts.ts'
import { useShownDrafts } from '../api/shown-drafts.ts'
import { useSlug } from '../api/workspace.ts'
import { Button } from '../components/button.tsx'
import { signInAgain, useSessionEnded } from '../components/sign-in-again.ts'
import { UnsavedList } from './unsaved-list.tsx'

/** A line above the page while there are changes that are not saved and that the page does not show itself. */
export function UnsavedBar() {
  const [open, setOpen] = useState(false)
  const drafts = useUnsaved()
  const failure = useQueueFailure()
  const ended = useSessionEnded()
  if (drafts.length === 0 && !ended) return null
  return (
    <section
      aria-label="Unsaved changes"
      className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line bg-danger-soft px-3 py-1 text-sm md:px-4"
    >
      <TriangleAlert aria-hidden className="size-4 shrink-0 text-danger" />
      <p role="status" className="min-w-48 flex-1">
        {ended ? 'Your session has ended. What you typed is kept.' : told(drafts, failure)}
      </p>
      {ended ? (
        <Button size="small" look="primary" onClick={signInAgain}>
          Sign in again
        </Button>
      ) : (
        failure !== undefined && (
          <Button size="small" onClick={() => sendDrafts()}>
            Try again
          </Button>
        )
      )}
      {drafts.length > 0 && (
        <Button size="small" onClick={() => setOpen(true)}>
          Show
        </Button>
      )}
      {open && (
        // Not loaded late: the service may be away.
        <UnsavedList drafts={drafts} failure={failure} onClose={() => setOpen(false)} />
      )}
    </section>
  )
}

/** Changes that wait for the service, and drafts that are not on the screen. */
function useUnsaved(): readonly Draft[] {
  const slug = useSlug()
  const shown = useShownDrafts()
  const failure = useQueueFailure()
  return useAllDrafts().filter((draft) => {
    if (draft.slug !== slug) return false
    return draft.state === 'waiting' ? failure !== undefined : !shown.has(draftKey(draft))
  })
}

function told(drafts: readonly Draft[], failure: string | undefined): string {
  const changes = drafts.length === 1 ? '1 change is' : `${drafts.length} changes are`
  return failure === undefined
    ? `${changes} not saved.`
    : `${changes} not saved: ${failure} Kept in this browser and sent as soon as possible.`
}
