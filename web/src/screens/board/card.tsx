import { useDraggable } from '@dnd-kit/core'
import { Link } from '@tanstack/react-router'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { classNames } from '../../components/class-names.ts'
import { hasValue } from '../../properties/has-value.ts'
import type { Included } from '../../properties/related.ts'
import { ShowProperty } from '../../properties/show-property.tsx'
import { TaskCheck } from '../../properties/task-check.tsx'
import type { Column } from '../records/columns.ts'

type Props = {
  record: ApiRecord
  included: Included
  /** What the card shows. */
  columns: readonly Column[]
}

/** A record on a board. Its name leads to its page; the card itself can be taken. */
export function Card({ movable, ...face }: Props & { movable: boolean }) {
  const { attributes, listeners, setNodeRef, isDragging } = useDraggable({
    id: face.record.id,
    data: face,
    disabled: !movable,
  })
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form is filled in here, and a button may not hold the link of a card
    <div
      ref={setNodeRef}
      {...attributes}
      {...listeners}
      role="group"
      aria-label={`Move ${nameOf(face.record)}`}
      className={classNames(
        // Cards out of sight cost nothing, however many the column has.
        'rounded-md [contain-intrinsic-size:auto_96px] [content-visibility:auto]',
        movable && 'cursor-grab touch-manipulation',
        isDragging && 'opacity-40',
      )}
    >
      <CardFace {...face} />
    </div>
  )
}

export function CardFace({ record, included, columns }: Props) {
  const slug = useSlug()
  const told = columns
    .map(({ property }) => property)
    .filter((property) => property.kind !== 'name' && hasValue(property, record))
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
      </div>
      {told.map((property) => (
        <div key={property.key} title={property.label} className="mt-1 truncate text-xs text-quiet">
          <ShowProperty property={property} record={record} included={included} />
        </div>
      ))}
    </article>
  )
}
