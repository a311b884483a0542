import { useDraggable } from '@dnd-kit/core'
import { useDraftAt } from '../../api/drafts.ts'
import type { Field } from '../../api/fields.ts'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { classNames } from '../../components/class-names.ts'
import { textIn } from '../../fields/values.ts'
import { formatTime } from '../../format/moments.ts'
import { propertyOf } from '../../properties/property.ts'
import { placeOf } from '../../properties/property-draft.ts'
import { RecordLink } from '../../properties/record-link.tsx'
import { TaskCheck } from '../../properties/task-check.tsx'
import { DUE_DATE, useTaskState } from '../../properties/task-state.ts'

type Props = { record: ApiRecord; field: Field }

/** A record on a day. Its name leads to its page; the rest of it can be taken. */
export function Event({ record, field, movable }: Props & { movable: boolean }) {
  const { attributes, listeners, setNodeRef, isDragging } = useDraggable({
    id: record.id,
    data: { record },
    disabled: !movable,
  })
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form is filled in here, and a button may not hold a link
    <div
      ref={setNodeRef}
      {...attributes}
      {...listeners}
      role="group"
      aria-label={`Move ${nameOf(record)}`}
      className={classNames('rounded-sm', movable && 'cursor-grab touch-manipulation', isDragging && 'opacity-40')}
    >
      <EventFace record={record} field={field} />
    </div>
  )
}

export function EventFace({ record, field }: Props) {
  const { done, overdue } = useTaskState(record)
  const isTask = record.type === 'tasks'
  const isDraft = useDraftAt(placeOf(useSlug(), propertyOf(field), record)) !== undefined
  const value = textIn(record.attributes.custom_fields[field.code])
  return (
    <div
      aria-busy={isDraft}
      className={classNames(
        isDraft && 'opacity-60',
        'flex h-6 min-w-0 items-center gap-1.5 rounded-sm border border-line bg-paper px-1.5 text-xs hover:border-edge',
        isTask && overdue && field.code === DUE_DATE && 'text-danger',
      )}
    >
      {isTask && <TaskCheck task={record} />}
      <RecordLink
        resource={record.type}
        id={record.id}
        title={nameOf(record)}
        tabIndex={0}
        className={classNames('min-w-0 truncate hover:underline', isTask && done && 'text-quiet line-through')}
      >
        {nameOf(record)}
      </RecordLink>
      {isTask && overdue && field.code === DUE_DATE && <span className="sr-only">Overdue</span>}
      {value.length > 10 && <span className="ml-auto shrink-0 text-quiet sm:max-xl:hidden">{formatTime(value)}</span>}
    </div>
  )
}
