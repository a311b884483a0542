import { roleMay } from '@kith/contract/permissions'
import type { Field } from '../api/fields.ts'
import { type ApiRecord, nameOf } from '../api/records.ts'
import { useSlug, useWorkspace } from '../api/workspace.ts'
import { classNames } from '../components/class-names.ts'
import { propertyOf } from '../properties/property.ts'
import { customChange } from '../properties/property-change.ts'
import { doneState, useStatusField, useTaskState } from '../properties/task-state.ts'
import { useDraftAt } from './drafts.ts'
import { placeOf, putChange, withDraft } from './property-draft.ts'

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
  const slug = useSlug()
  const mayEdit = roleMay(useWorkspace().role, 'update')
  const property = propertyOf(status)
  // The ring never waits for the service. It is faint until the service has stored it.
  const draft = useDraftAt(placeOf(slug, property, task))
  const { done, overdue } = useTaskState(withDraft(task, draft))
  const toggle = () => {
    const before = task.attributes.custom_fields[status.code] ?? null
    const first = status.options[0]
    const to = done ? (first ? { id: first.id, label: first.label } : null) : (doneState(status) ?? null)
    const message = `${done ? 'Opened' : 'Completed'} ${nameOf(task)}`
    const told = { message, undo: customChange(status, before) }
    putChange({ slug, property, record: task, told, direct: true }, customChange(status, to), 'waiting')
  }
  return (
    <input
      type="checkbox"
      aria-label={`Complete ${nameOf(task)}`}
      checked={done}
      tabIndex={tabIndex}
      disabled={!mayEdit}
      aria-busy={draft !== undefined}
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
        draft && 'opacity-60',
      )}
    />
  )
}
