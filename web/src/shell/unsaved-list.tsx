import { Link, useRouter } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import { type Draft, draftKey, NEW } from '../api/drafts.ts'
import { nameOf } from '../api/records.ts'
import { discardDraft, sendAgain } from '../api/settle-draft.ts'
import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { Dialog } from '../components/dialog.tsx'

type Props = { drafts: readonly Draft[]; failure: string | undefined; onClose(): void }

/** All changes that are not saved, with what was typed. */
export function UnsavedList({ drafts, failure, onClose }: Props) {
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

type LineProps = { draft: Draft; failure: string | undefined; onClose(): void }

function Line({ draft, failure, onClose }: LineProps) {
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
        <CopyButton text={text} />
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
  return page ?? (id === NEW ? `/${slug}/${resource}` : `/${slug}/${resource}/${id}`)
}

/** What was typed or chosen, as text. */
function textOf({ change }: Draft): string {
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
