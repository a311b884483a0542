import { doneOption } from '@kith/contract/done-option'
import type { FieldDefinition } from '@kith/contract/field-definition'
import type { Resource } from '@kith/contract/resource'
import type { Scope } from '../../scope/scope.ts'
import { loadAnyRows } from '../../storage/tables/expiry.ts'
import { type Link, loadLinked, lockRows } from '../../storage/tables/links.ts'
import { lockMembers } from '../../storage/tables/notifications.ts'
import type { RecordRow } from '../../storage/tables/records.ts'
import {
  loadWithParts,
  type ReminderRow,
  type RepeatRow,
  reminderTable,
  repeatTable,
} from '../../storage/tables/task-plans.ts'
import { type NewRecord, originOf, type RecordChange } from '../changes.ts'
import { type FieldValue, parseStored, valuesIn, withoutDeletedOptions } from '../stored-values.ts'
import { nextDue } from './next-due.ts'

/** A task that a change has completed or opened again, as it is now. */
export type Turn = { task: RecordRow; change_id: string; isDone: boolean }

/** Whether a change completes a task, or opens it again. Costs nothing for other changes. */
export function turnOf(
  { current, changes }: RecordChange,
  { row, change_id }: { row: RecordRow; change_id: string },
): Turn | undefined {
  const [status, value] = [...changes.values].find(([field]) => isStatus(field)) ?? []
  const done = status && doneOption(status.options)?.id
  if (!status || done === undefined) return undefined
  const wasDone = parseStored(current.custom_fields)[status.key] === done
  const isDone = value === done
  return wasDone === isDone ? undefined : { task: row, change_id, isDone }
}

/** Whether a task is completed. */
export function isDone({ fields }: Resource, task: RecordRow): boolean {
  const status = fields.list.find(isStatus)
  const done = status && doneOption(status.options)?.id
  return done !== undefined && parseStored(task.custom_fields)[status?.key ?? ''] === done
}

function isStatus({ code, system }: FieldDefinition): boolean {
  return system && code === 'status'
}

/** The field with the due date of a task. */
export function isDueDate({ code, system }: FieldDefinition): boolean {
  return system && code === 'due_date'
}

/**
 * How series go on after some tasks were completed or opened again: the tasks to create, and those to delete. The tasks
 * are locked, so of completions at the same time only one gets here. A rule moves to the next task, so that no task is
 * followed by two (decision 41).
 */
export async function continuedSeries(
  inside: Scope,
  resource: Resource,
  turns: readonly Turn[],
): Promise<{ created: NewRecord[]; unwanted: string[] }> {
  const [done, opened] = [turns.filter((turn) => turn.isDone), turns.filter((turn) => !turn.isDone)]
  return {
    created: done.length === 0 ? [] : await nextTasks(inside, resource, done),
    unwanted: opened.length === 0 ? [] : await takeBack(inside, resource, opened),
  }
}

async function nextTasks(inside: Scope, resource: Resource, done: readonly Turn[]): Promise<NewRecord[]> {
  const ids = done.map(({ task }) => task.id)
  const repeats = await repeatTable.load(inside, { record_id: ids }, 'record_id')
  if (repeats.length === 0) return []
  const relations = Object.values(resource.links).map(({ relation }) => relation)
  // Whoever moves the links of a task, such as a merge, locks the task first.
  const links = Map.groupBy(await loadLinked(inside, ids, relations), ({ from_id }) => from_id)
  const next = repeats.flatMap((repeat) => {
    const turn = done.find(({ task }) => task.id === repeat.record_id)
    const made = turn && nextTask(inside, resource, { turn, repeat, links: links.get(turn.task.id) ?? [] })
    return made ?? []
  })
  await moveRepeats(
    inside,
    next.map(({ repeat }) => repeat),
  )
  await copyReminders(inside, new Map(next.map(({ record, repeat }) => [repeat.previous_id ?? '', record.id])))
  return next.map(({ record }) => record)
}

/** The next task of a series and its rule. There is none if its due date could not be stored. */
function nextTask(
  inside: Scope,
  { fields }: Resource,
  { turn: { task, change_id }, repeat, links }: { turn: Turn; repeat: RepeatRow; links: readonly Link[] },
): { record: NewRecord; repeat: RepeatRow }[] {
  const kept = valuesIn({ custom_fields: withoutDeletedOptions(task, fields.list) }, fields.list)
  const due = kept.find(([field]) => isDueDate(field))?.[1]
  const rule = { ...repeat, after_completion: repeat.after_completion === 1 }
  const next = nextDue(rule, { due: typeof due === 'string' ? due : null, completed: inside.now() })
  if (!next) return []
  const origin = originOf(inside)
  const record = {
    ...origin,
    label: task.title ?? '',
    references: new Map<string, null>(),
    values: [...kept.filter(([field]) => isKept(field)), ...startOf(fields.list, next.due)],
    links: links.map(({ relation, to_id }) => ({ relation, to_id })),
    cause: change_id,
  }
  return [{ record, repeat: { ...repeat, record_id: origin.id, anchor: next.anchor, previous_id: task.id } }]
}

/** Two records cannot hold the same unique value. */
function isKept(field: FieldDefinition): boolean {
  return !isStatus(field) && !isDueDate(field) && !field.unique
}

/** Its first status, unless that means done, and its due date. */
function startOf(fields: readonly FieldDefinition[], due: string): FieldValue[] {
  return fields.flatMap((field): FieldValue[] => {
    if (isDueDate(field)) return [[field, due]]
    const [first] = isStatus(field) ? field.options : []
    return first && first !== doneOption(field.options) ? [[field, first.id]] : []
  })
}

/** A rule is a row of the latest task. */
async function moveRepeats(inside: Scope, moved: readonly RepeatRow[]): Promise<void> {
  await repeatTable.remove(inside, { record_id: moved.flatMap(({ previous_id }) => previous_id ?? []) })
  await repeatTable.insertAll(inside, moved)
}

/** Reminders before a due date stay with the series, chosen times do not. */
async function copyReminders(inside: Scope, next: ReadonlyMap<string, string>): Promise<void> {
  const held = await reminderTable.load(inside, { record_id: [...next.keys()] }, 'record_id', 'user_id')
  const relative = held.flatMap(({ user_id, record_id, minutes_before }) =>
    minutes_before === null ? [] : [relativeReminder(inside, { user_id, record_id, minutes_before })],
  )
  if (relative.length === 0) return
  const members = new Set(await lockMembers(inside, [...new Set(relative.map(({ user_id }) => user_id))]))
  const copies = relative.flatMap((row) => {
    const record_id = next.get(row.record_id)
    return record_id !== undefined && members.has(row.user_id) ? [{ ...row, record_id }] : []
  })
  await reminderTable.insertAll(inside, copies)
}

/** One for due dates whose time to remind is not over yet. */
export function relativeReminder(
  { now }: Pick<Scope, 'now'>,
  reminder: { user_id: string; record_id: string; minutes_before: number },
): ReminderRow {
  const due_after = new Date(now().getTime() + reminder.minutes_before * 60_000).toISOString()
  return { ...reminder, due_after, remind_at: null }
}

/**
 * The tasks that followed tasks which are open again, if they were not changed: their series goes on from before. One
 * that is deleted already gives the rule back, too. Any other stays, and keeps the rule.
 */
async function takeBack(inside: Scope, resource: Resource, opened: readonly Turn[]): Promise<string[]> {
  const previous_id = opened.map(({ task }) => task.id)
  const seen = await repeatTable.load(inside, { previous_id }, 'record_id')
  if (seen.length === 0) return []
  const ids = seen.map(({ record_id }) => record_id)
  await lockRows(inside, [{ of: resource.number, ids, mode: 'alone' }])
  // Not those whose latest task was completed before it was locked.
  const repeats = await repeatTable.load(inside, { previous_id, record_id: ids }, 'record_id')
  const found = new Map((await loadAnyRows(inside, resource, ids)).map((row) => [row.id, row]))
  const busy = new Set(await loadWithParts(inside, ids))
  const isLive = ({ record_id }: RepeatRow) => found.get(record_id)?.deleted_at === null
  const isTouched = ({ record_id }: RepeatRow) =>
    busy.has(record_id) || found.get(record_id)?.updated_at !== found.get(record_id)?.created_at
  const back = repeats.filter((repeat) => !isLive(repeat) || !isTouched(repeat))
  const restored = new Map(
    back.flatMap((repeat) =>
      repeat.previous_id === null
        ? []
        : [[repeat.previous_id, { ...repeat, record_id: repeat.previous_id, previous_id: null }]],
    ),
  )
  await repeatTable.remove(inside, { record_id: [...back.map(({ record_id }) => record_id), ...restored.keys()] })
  await repeatTable.insertAll(inside, [...restored.values()])
  return back.filter(isLive).map(({ record_id }) => record_id)
}
