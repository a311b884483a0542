import { useDraggable } from '@dnd-kit/core'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { classNames } from '../../components/class-names.ts'
import type { Draft } from '../../drafts/draft-store.ts'
import { DraftNote } from '../../drafts/drafted-property.tsx'
import { draftKey, useShowsDraft } from '../../drafts/drafts.ts'
import { useDraftProblem } from '../../drafts/property-draft.ts'
import { TaskCheck } from '../../drafts/task-check.tsx'
import type { Property } from '../../properties/property.ts'
import { hasValue, isOwner } from '../../properties/property-view.ts'
import { type IncludedRecords, relatedTo } from '../../properties/related.ts'
import { ShowProperty } from '../../properties/show-property.tsx'
import { UserAvatar } from '../../user-avatar.tsx'
import type { Column } from '../records/columns.ts'

type Props = {
  record: ApiRecord
  included: IncludedRecords
  /** The properties on the card. */
  columns: readonly Column[]
}

/** The id of the focused card. A move to another column replaces its element, and the new one takes the focus. */
let focused: string | undefined

/** A record on a board. Its name leads to its page; the card itself can be taken. */
export function Card(
  props: Props & {
    /** The move that is not saved yet. */
    draft: Draft | undefined
    movable: boolean
  },
) {
  const { movable, draft, ...face } = props
  const problem = useDraftProblem(draft)
  // The unsaved changes above the page say more about a conflict.
  useShowsDraft(draft && draft.state !== 'conflict' ? draftKey(draft) : undefined)
  const { attributes, listeners, setNodeRef, isDragging } = useDraggable({
    id: face.record.id,
    data: face,
    disabled: !movable,
  })
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (focused === face.record.id && document.activeElement === document.body) place.current?.focus()
  }, [face.record.id])
  return (
    // Cards out of sight cost nothing, however many the column has.
    <div className="[contain-intrinsic-size:auto_96px] [content-visibility:auto]">
      {/* biome-ignore lint/a11y/useSemanticElements: no form is filled in, and a button may not hold a link */}
      <div
        ref={(node) => {
          place.current = node
          setNodeRef(node)
        }}
        {...attributes}
        {...listeners}
        onFocus={() => {
          focused = face.record.id
        }}
        onBlur={() => {
          focused = undefined
        }}
        role="group"
        aria-label={`Move ${nameOf(face.record)}`}
        aria-busy={draft !== undefined}
        className={classNames(
          'rounded-md',
          movable && 'cursor-grab touch-manipulation',
          isDragging ? 'opacity-40' : draft && 'opacity-60',
        )}
      >
        <CardFace {...face} />
      </div>
      <DraftNote own={{ draft, problem }} />
    </div>
  )
}

export function CardFace({ record, included, columns }: Props) {
  const slug = useSlug()
  const told = columns
    .map(({ property }) => property)
    .filter((property) => property.kind !== 'name' && !isOwner(property) && hasValue(property, record))
  return (
    <article className="rounded-md border border-line bg-paper px-3 py-2 hover:border-edge">
      <div className="flex items-start gap-2">
        {record.type === 'tasks' && (
          <span className="mt-0.5">
            <TaskCheck task={record} />
          </span>
        )}
        <Link
          to="/$workspace/$resource/$id"
          params={{ workspace: slug, resource: record.type, id: record.id }}
          dir="auto"
          draggable={false}
          className="line-clamp-2 min-w-0 text-sm font-medium wrap-anywhere hover:underline"
        >
          {nameOf(record)}
        </Link>
        {columns.map(({ property }) => (
          <Owner key={property.key} property={property} record={record} included={included} />
        ))}
      </div>
      {told.map((property) => (
        <div key={property.key} title={property.label} className="mt-1 truncate text-xs text-quiet">
          <ShowProperty property={property} record={record} included={included} />
        </div>
      ))}
    </article>
  )
}

/** The member who owns a record, as initials next to its name. */
function Owner({ property, record, included }: Omit<Props, 'columns'> & { property: Property }) {
  const [owner] = isOwner(property) ? relatedTo(record, property.include, included) : []
  if (!owner) return null
  return (
    <span title={`${property.label}: ${owner.name}`} className="ml-auto flex shrink-0">
      <UserAvatar id={owner.id} name={owner.name} />
      <span className="sr-only">
        {property.label}: {owner.name}
      </span>
    </span>
  )
}
