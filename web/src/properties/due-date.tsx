import { CircleAlert } from 'lucide-react'
import type { ApiRecord } from '../api/records.ts'
import { classNames } from '../components/class-names.ts'
import { formatDue, formatMoment, formatMomentExactly } from '../format/moments.ts'
import { RepeatSign } from './repeat-sign.tsx'
import { useTaskState } from './task-state.ts'

/** When a task is due. Overdue tasks are marked, not by colour alone. */
export function DueDate({ task, short = false }: { task: ApiRecord; short?: boolean }) {
  const { due, overdue } = useTaskState(task)
  if (due === '') return null
  return (
    <time
      dateTime={due}
      title={`${overdue ? 'Overdue: ' : ''}${formatMomentExactly(due)}`}
      className={classNames('inline-flex max-w-full items-center gap-1 align-middle', overdue && 'text-danger')}
    >
      {overdue && <CircleAlert aria-hidden className="size-3.5 shrink-0" />}
      {overdue && <span className="sr-only">Overdue, </span>}
      <span className="truncate">{short ? formatDue(due) : formatMoment(due)}</span>
      <RepeatSign task={task} />
    </time>
  )
}
