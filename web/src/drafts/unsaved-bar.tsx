import { Link, useRouter } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { type MouseEvent, useState } from 'react'
import { nameOf } from '../api/records.ts'
import { useSlug } from '../api/workspace.ts'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy.tsx'
import { Dialog } from '../components/dialog.tsx'
import { signInAgain, useSessionEnded } from '../components/sign-in-again.ts'
import { pathOf } from '../places.ts'
import { type Draft, NEW } from './draft-store.ts'
import { discardDraft, draftKey, sendAgain, useAllDrafts, useShownDrafts } from './drafts.ts'
import { sendDrafts, useQueueFailure } from './queue.ts'

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

/** All unsaved changes with their texts. */
function UnsavedList(props: { drafts: readonly Draft[]; failure: string | undefined; onClose(): void }) {
  const { drafts, failure, onClose } = props
  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title="Unsaved changes"
      description="They are kept in this browser until they are saved or you discard them."
    >
      <ul className="grid gap-3">
        {drafts.map((draft) => (
          <Line key={draftKey(draft)} draft={draft} failure={failure} onClose={onClose} />
        ))}
      </ul>
    </Dialog>
  )
}

function Line({ draft, failure, onClose }: { draft: Draft; failure: string | undefined; onClose(): void }) {
  const text = textOf(draft)
  const { history } = useRouter()
  const page = pageOf(draft)
  const open = (event: MouseEvent) => {
    event.preventDefault()
    history.push(page)
    onClose()
  }
  return (
    <li className="rounded-md border border-line p-3 text-sm">
      <p className="font-medium wrap-anywhere">{draft.id === NEW ? draft.label : `${draft.label} of ${draft.name}`}</p>
      {text !== '' && (
        <p
          dir="auto"
          className="mt-1 max-h-40 overflow-y-auto rounded-sm bg-hover p-2 whitespace-pre-wrap wrap-anywhere"
        >
          {text}
        </p>
      )}
      <p className="mt-1 text-xs text-danger">Not saved{reasonOf(draft, failure)}</p>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <Link
          // The page may have a search, which is no part of a path.
          to={page.split('?')[0]}
          onClick={open}
          className="inline-flex h-6 items-center rounded-md border border-edge px-2 text-xs hover:bg-hover"
        >
          Open
        </Link>
        {draft.state === 'refused' && (
          <Button size="small" onClick={() => sendAgain(draft)}>
            Try again
          </Button>
        )}
        <Button size="small" look="quiet-danger" onClick={() => discardDraft(draft)}>
          Discard
        </Button>
        {text !== '' && <CopyButton text={text} />}
      </div>
    </li>
  )
}

function reasonOf({ state, problem }: Draft, failure: string | undefined): string {
  if (state === 'waiting' && failure !== undefined) return `: ${failure}`
  if (state === 'conflict') return ': Someone else has changed it meanwhile.'
  return problem === undefined ? '.' : `: ${problem}`
}

/** Where the draft can be edited. */
function pageOf({ slug, resource, id, page }: Draft): string {
  return page ?? pathOf(slug, resource, id === NEW ? undefined : id)
}

/** The typed or chosen values as text. */
function textOf({ resource, change, form }: Draft): string {
  // With names, where the input has ids.
  if (resource === 'comments') return form?.text ?? ''
  const { custom_fields, ...attributes } = change.shown
  const names = (change.included ?? []).map(nameOf)
  const values = change.relationships ? names : Object.values(attributes)
  return [...values, ...Object.values(custom_fields ?? {})].map(written).filter(Boolean).join('\n')
}

function written(value: unknown): string {
  if (Array.isArray(value)) return value.map(written).join('\n')
  if (typeof value === 'object' && value !== null) {
    // A choice, or lists by name, such as the ids of other systems.
    const lists = () => Object.entries(value).map(([name, list]) => `${name}: ${written(list) || 'none'}`)
    return 'label' in value ? String(value.label) : lists().join('\n')
  }
  return value === null || value === undefined ? '' : String(value)
}
