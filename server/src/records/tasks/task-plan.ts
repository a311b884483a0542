import { type Reminder, type RepeatRule, reminder, repeatRule, type TaskPlan } from '@kith/contract/app/task-plan'
import { SERIES_MAX } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import { parseOrRefuse, refuse, refuseValue } from '@kith/contract/refusal'
import type { Resource } from '@kith/contract/resource'
import { readObject } from '@kith/contract/shape'
import { requirePermission } from '../../scope/permissions.ts'
import { requireResource } from '../../scope/read-input.ts'
import { inSnapshot, type Scope } from '../../scope/scope.ts'
import { userTable } from '../../storage/tables/accounts.ts'
import { lockRows } from '../../storage/tables/links.ts'
import { lockMembers } from '../../storage/tables/notifications.ts'
import { addToCounts, findRecord, type RecordRow } from '../../storage/tables/records.ts'
import {
  findNextTask,
  loadRepeating,
  type ReminderRow,
  type RepeatRow,
  reminderTable,
  repeatTable,
} from '../../storage/tables/task-plans.ts'
import { refuseMissing } from '../merge/merged-into.ts'
import { idInPath } from '../read.ts'
import { requireRecord } from '../record-parts.ts'
import { parseStored } from '../stored-values.ts'
import { writing } from '../write-targets.ts'
import { isDone, isDueDate, relativeReminder } from './series.ts'

/** The ids of the tasks with which a series goes on. */
export function listRepeating(scope: Scope): Promise<string[]> {
  requirePermission(scope, 'read')
  return loadRepeating(scope)
}

/** How a task repeats, what came after it, and when the reader is reminded of it. */
export function readPlan(scope: Scope, id: string): Promise<TaskPlan> {
  requirePermission(scope, 'read')
  return inSnapshot(scope, async (inside) => {
    const tasks = requireResource(inside.schema, 'tasks')
    const record_id = await requireRecord(inside, tasks, id)
    const repeat = await repeatTable.find(inside, { record_id })
    const next = await findNextTask(inside, record_id)
    const reminded = await reminderTable.find(inside, { record_id, user_id: inside.actor.user_id })
    const due = next && parseStored(next.custom_fields)[tasks.fields.list.find(isDueDate)?.key ?? '']
    return {
      repeat: repeat ? presentRule(repeat) : null,
      next: next ? { id: next.id, title: next.title, due_date: typeof due === 'string' ? due : null } : null,
      reminder: reminded ? presentReminder(reminded) : null,
    }
  })
}

function presentRule({ unit, every, after_completion }: RepeatRow): RepeatRule {
  return { unit, every, after_completion: after_completion === 1 }
}

function presentReminder({ minutes_before, remind_at }: ReminderRow): Reminder {
  return { minutes_before, at: remind_at }
}

/** Makes a task repeat, by the wall clock of the member who says so. */
export function replaceRepeat(scope: Scope, id: string, input: unknown): Promise<RepeatRule> {
  requirePermission(scope, 'update')
  const rule = parseOrRefuse([], (report) => readObject(input, repeatRule, report))
  return writing(scope, async (inside) => {
    await inside.engine.lock(inside.db, [`task repeats ${inside.workspace.id}`])
    const { tasks, task } = await lockTask(inside, id, 'change')
    const before = await repeatTable.find(inside, { record_id: task.id })
    if (isDone(tasks, task)) refuseValue('unit', 'The task is completed. Open it again first, or change the next one.')
    if (!before && (await repeatTable.count(inside)) >= SERIES_MAX) {
      refuseValue('unit', `The workspace has ${SERIES_MAX} tasks that repeat already, and cannot have more.`)
    }
    const time_zone = (await userTable.find(inside.db, { id: inside.actor.user_id }))?.time_zone ?? 'UTC'
    const { anchor = null, previous_id = null } = before ?? {}
    const place = { record_id: task.id, time_zone, anchor, previous_id }
    const after_completion = Number(rule.after_completion)
    await repeatTable.put(inside, { ...rule, ...place, after_completion }, ['record_id'])
    await noteChange(inside)
    return rule
  })
}

export function removeRepeat(scope: Scope, id: string): Promise<void> {
  requirePermission(scope, 'update')
  return writing(scope, async (inside) => {
    const { task } = await lockTask(inside, id, 'change')
    await repeatTable.remove(inside, { record_id: task.id })
    await noteChange(inside)
  })
}

/** Other windows read again which tasks repeat. */
async function noteChange(inside: Scope): Promise<void> {
  await addToCounts(inside, 'tasks', 0)
}

/** Reminds the member of a task. Everybody has one reminder of a task at most. */
export function replaceReminder(scope: Scope, id: string, input: unknown): Promise<Reminder> {
  requirePermission(scope, 'read')
  const wanted = parseOrRefuse([], (report) => {
    const { minutes_before, at } = readObject(input, reminder, report)
    const sent = isObject(input) ? [input.minutes_before, input.at].filter((one) => (one ?? null) !== null) : []
    if (sent.length !== 1) report('at', 'Send either a minutes_before or an at.')
    else if (at !== null && at <= scope.now().toISOString()) report('at', 'The at must be in the future.')
    return { minutes_before, at }
  })
  return writing(scope, async (inside) => {
    const { task } = await lockTask(inside, id, 'refer')
    const [user_id] = await lockMembers(inside, [inside.actor.user_id])
    if (user_id === undefined) refuse({ kind: 'forbidden', message: 'You are no longer a member of the workspace.' })
    const { minutes_before, at: remind_at } = wanted
    const own = { user_id, record_id: task.id }
    const row =
      minutes_before === null
        ? { ...own, minutes_before, due_after: null, remind_at }
        : relativeReminder(inside, { ...own, minutes_before })
    await reminderTable.put(inside, row, ['record_id', 'user_id'])
    return wanted
  })
}

export function removeReminder(scope: Scope, id: string): Promise<void> {
  requirePermission(scope, 'read')
  return writing(scope, async (inside) => {
    const { task } = await lockTask(inside, id, 'refer')
    await reminderTable.remove(inside, { record_id: task.id, user_id: inside.actor.user_id })
  })
}

async function lockTask(
  inside: Scope,
  id: string,
  mode: 'refer' | 'change',
): Promise<{ tasks: Resource; task: RecordRow }> {
  const tasks = requireResource(inside.schema, 'tasks')
  await lockRows(inside, [{ of: tasks.number, ids: [idInPath(tasks, id)], mode }])
  const task = (await findRecord(inside, tasks, idInPath(tasks, id))) ?? (await refuseMissing(inside, tasks, id))
  return { tasks, task }
}
