import { roleMay } from '@kith/contract/permissions'
import type { Field } from '../api/fields.ts'
import { useRecordUpdate } from '../api/record-changes.ts'
import { type ApiRecord, nameOf } from '../api/records.ts'
import { useWorkspace } from '../api/workspace.ts'
import { classNames } from '../components/class-names.ts'
import { showToast } from '../components/toast-store.ts'
import { choiceIn } from '../fields/values.ts'
import { customChange } from './property-change.ts'
import { doneOption, useStatusField, useTaskState } from './task-state.ts'

type Props = {
  task: ApiRecord
  /** -1 in grids, which have keys of their own. */
  tabIndex?: number
}

/** Completes a task, and opens it again. Nothing where the workspace has no states for tasks. */
export function TaskCheck({ task, tabIndex }: Props) {
  const status = useStatusField()
  return status && status.options.length > 1 ? <Ring task={task} status={status} tabIndex={tabIndex} /> : null
}

function Ring({ task, status, tabIndex }: Props & { status: Field; tabIndex: number | undefined }) {
  const update = useRecordUpdate('tasks')
  const mayEdit = roleMay(useWorkspace().role, 'update')
  const { done: stored, overdue } = useTaskState(task)
  const wanted = update.isPending ? choiceIn(update.variables.input.custom_fields?.[status.code]) : undefined
  // The ring never waits for the service.
  const done = update.isPending ? wanted?.id === doneOption(status)?.id : stored
  const set = (value: Parameters<typeof customChange>[1]) =>
    update.mutateAsync({ id: task.id, ...customChange(status, value) })
  const toggle = async () => {
    const before = task.attributes.custom_fields[status.code] ?? null
    const first = status.options[0]
    const to = stored ? (first ? { id: first.id, label: first.label } : null) : (doneOption(status) ?? null)
    await set(to).then(() => {
      const message = `${stored ? 'Opened' : 'Completed'} ${nameOf(task)}`
      showToast({ message, undo: () => set(before).then(() => undefined, tell) })
    }, tell)
  }
  return (
    <input
      type="checkbox"
      aria-label={`Complete ${nameOf(task)}`}
      checked={done}
      tabIndex={tabIndex}
      disabled={!mayEdit || update.isPending}
      onChange={toggle}
      // The cell or card around it has clicks and keys of its own.
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => event.stopPropagation()}
      className={classNames(
        'tick relative shrink-0 rounded-full',
        // The area that takes a click is larger than the ring.
        'after:absolute after:-inset-2 after:content-[""]',
        mayEdit && 'hover:border-accent',
        overdue && !done && 'border-danger',
      )}
    />
  )
}

function tell(error: Error): void {
  showToast({ tone: 'danger', message: error.message })
}
