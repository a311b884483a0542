import { roleMay } from '@kith/contract/permissions'
import { KithError } from '@kith/sdk'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type ApiRecord, nameOf, type RecordDocument } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { createAgain } from '../../drafts/create-again.ts'
import type { Draft } from '../../drafts/draft-store.ts'
import { discardDraft, draftKey, useAllDrafts, useShowsDraft } from '../../drafts/drafts.ts'
import { useDraftProblem } from '../../drafts/property-draft.ts'
import { restoreRecord, useRecordAct } from '../../drafts/record-acts.ts'
import { useProperties } from '../../properties/property.ts'
import { useAppearance } from '../../resources.ts'

/**
 * Says that the record on the screen is gone meanwhile, or is about to be. It stays on the screen, with its unsaved
 * text, and can be restored, or the text kept as a new record.
 */
export function GoneNote({ document, error }: { document: RecordDocument; error: Error | null }) {
  const { data: record } = document
  const slug = useSlug()
  const { one } = useAppearance(record.type)
  const act = useRecordAct(record)
  const problem = useDraftProblem(act)
  useShowsDraft(act && draftKey(act))
  if (act && problem !== undefined) {
    const isDeletion = act.act?.kind === 'delete'
    return (
      <Note
        role="status"
        actions={
          <Button size="small" onClick={() => discardDraft(act)}>
            {isDeletion ? `Keep the ${one}` : 'Do not restore it'}
          </Button>
        }
      >
        This {one} is not {isDeletion ? 'deleted' : 'restored'} yet: {problem}
      </Note>
    )
  }
  if (!isGone(error)) return null
  const winner = error.merged_into?.id
  if (winner === undefined) {
    return (
      <Note role="alert" actions={<WaysBack document={document} isWaiting={act !== undefined} />}>
        This {one} was deleted meanwhile, or you no longer have access to it.
      </Note>
    )
  }
  const params = { workspace: slug, resource: record.type, id: winner }
  return (
    <Note role="alert">
      This {one} was merged into another one meanwhile.{' '}
      <Link to="/$workspace/$resource/$id" params={params} className="underline">
        Open that {one}
      </Link>
    </Note>
  )
}

/** Whether an answer says that a record is not there any more. */
export function isGone(error: Error | null): error is KithError {
  return error instanceof KithError && error.kind === 'not_found'
}

function Note(props: { role: 'alert' | 'status'; actions?: ReactNode; children: ReactNode }) {
  const { role, actions, children } = props
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-warning-soft px-4 py-1.5 text-sm text-warning">
      <p role={role} className="min-w-48 flex-1 py-0.5">
        {children}
      </p>
      {actions}
    </div>
  )
}

/** What was typed is saved after the restoration, or becomes a record of its own. */
function WaysBack({ document, isWaiting }: { document: RecordDocument; isWaiting: boolean }) {
  const { data: record } = document
  const { slug, role } = useWorkspace()
  const navigate = useNavigate()
  const { one } = useAppearance(record.type)
  const properties = useProperties(record.type)
  const typed = useAllDrafts().filter((draft) => isOf(record, slug, draft))
  const keep = () => {
    createAgain({ slug, one, document, properties, typed })
    void navigate({ to: '/$workspace/$resource', params: { workspace: slug, resource: record.type } })
  }
  return (
    <>
      {roleMay(role, 'delete') && (
        <Button
          size="small"
          disabled={isWaiting}
          onClick={() => restoreRecord({ slug, resource: record.type, id: record.id, name: nameOf(record) })}
        >
          Restore the {one}
        </Button>
      )}
      {typed.length > 0 && roleMay(role, 'create') && (
        <Button size="small" onClick={keep}>
          Keep it as a new {one}
        </Button>
      )}
    </>
  )
}

function isOf({ type, id }: ApiRecord, slug: string, draft: Draft): boolean {
  return draft.slug === slug && draft.resource === type && draft.id === id && !draft.act
}
