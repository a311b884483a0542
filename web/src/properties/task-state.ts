import { doneOption } from '@kith/contract/done-option'
import { type Field, useFields } from '../api/fields.ts'
import type { ApiRecord } from '../api/records.ts'
import { type Choice, choiceIn, textIn } from '../fields/values.ts'

/** The field that says how far a task is. */
export const STATUS = 'status'
/** The field that says when a task is due. */
export const DUE_DATE = 'due_date'

/** The field with the state of a task. */
export function useStatusField(): Field | undefined {
  return useFields('tasks').find(({ code }) => code === STATUS)
}

/** The state of a completed task. */
export function doneState(status: Field | undefined): Choice | undefined {
  const done = doneOption(status?.options ?? [])
  return done && { id: done.id, label: done.label }
}

/** The tasks that are not completed. */
export function useOpenTasks(): Record<string, unknown> {
  const done = doneState(useStatusField())
  return done ? { $not: { custom_fields: { [STATUS]: { $eq: done.id } } } } : {}
}

/** Tells whether a task is completed. */
export function useIsDone(): (task: ApiRecord) => boolean {
  const option = doneState(useStatusField())
  return ({ attributes }) => option !== undefined && choiceIn(attributes.custom_fields[STATUS])?.id === option.id
}

export function useTaskState(
  task: ApiRecord,
  now = Date.now(),
): {
  done: boolean
  overdue: boolean
  /** When it is due; empty without a date. */
  due: string
} {
  const done = useIsDone()(task)
  const due = textIn(task.attributes.custom_fields[DUE_DATE])
  return { done, due, overdue: !done && due !== '' && Date.parse(due) < now }
}
