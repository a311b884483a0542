import { KithError } from '@kith/sdk'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { discardDraft, draftKey, useShowsDraft } from '../../drafts/drafts.ts'
import { EditableProperty } from '../../drafts/editable-property.tsx'
import { useDraftProblem } from '../../drafts/property-draft.ts'
import { useRecordAct } from '../../drafts/record-acts.ts'
import { TaskCheck } from '../../drafts/task-check.tsx'
import { useProperties } from '../../properties/property.ts'
import type { IncludedRecords } from '../../properties/related.ts'
import { avatarOf, useAppearance } from '../../resources.ts'

/** The record's name as a heading, edited in place. On a page of its own it is read first. */
export function Title(props: { record: ApiRecord; included: IncludedRecords; level: 1 | 2 }) {
  const { record, included, level } = props
  const heading = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (level === 1 && !isTyping()) heading.current?.focus({ preventScroll: true })
  }, [level])
  const name = useProperties(record.type).find(({ kind }) => kind === 'name')
  const avatar = avatarOf(record.type)
  return (
    <div className="-ml-2 flex items-start gap-2">
      {avatar && (
        <span className="ml-2 mt-1">
          <Avatar name={nameOf(record)} shape={avatar} size={32} />
        </span>
      )}
      {record.type === 'tasks' && (
        <span className="ml-2 mt-2">
          <TaskCheck task={record} />
        </span>
      )}
      {name && (
        // biome-ignore lint/a11y/useSemanticElements: it also holds the editor and both versions of a conflict
        <div
          ref={heading}
          role="heading"
          aria-level={level}
          aria-label={nameOf(record)}
          tabIndex={-1}
          className="min-w-0 flex-1 rounded-sm outline-none [&_*]:text-xl [&_*]:font-semibold [&_[role=alert]_*]:text-sm [&_[role=alert]_*]:font-normal"
        >
          <EditableProperty property={name} record={record} included={included} />
        </div>
      )}
    </div>
  )
}

/** Whether the user types into something on the page. A window that has led here closes. */
function isTyping(): boolean {
  const { activeElement } = document
  return activeElement?.matches('main :is(input, textarea, [contenteditable="true"])') ?? false
}

/** Says that the record on the screen is gone meanwhile. It stays on the screen, with its unsaved text. */
export function GoneNote({ record, error }: { record: ApiRecord; error: Error | null }) {
  const slug = useSlug()
  const resource = record.type
  const { one } = useAppearance(resource)
  const act = useRecordAct(record)
  const problem = useDraftProblem(act)
  useShowsDraft(act && draftKey(act))
  if (act && problem !== undefined) {
    return (
      <p role="status" className="shrink-0 border-b border-line bg-warning-soft px-4 py-1.5 text-sm text-warning">
        This {one} is not {act.act?.kind === 'delete' ? 'deleted' : 'restored'} yet: {problem}{' '}
        <Button size="small" onClick={() => discardDraft(act)}>
          {act.act?.kind === 'delete' ? `Keep the ${one}` : 'Do not restore it'}
        </Button>
      </p>
    )
  }
  if (!(error instanceof KithError) || error.kind !== 'not_found') return null
  const winner = error.merged_into?.id
  return (
    <p role="alert" className="shrink-0 border-b border-line bg-warning-soft px-4 py-2 text-sm text-warning">
      {winner === undefined ? (
        `This ${one} was deleted meanwhile, or you no longer have access to it.`
      ) : (
        <>
          This {one} was merged into another one meanwhile.{' '}
          <Link to="/$workspace/$resource/$id" params={{ workspace: slug, resource, id: winner }} className="underline">
            Open that {one}
          </Link>
        </>
      )}
    </p>
  )
}
