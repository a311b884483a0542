import { doneOption } from '@kith/contract/done-option'
import { DAY_MS } from '@kith/contract/limits'
import { registry } from '@kith/contract/registry'
import { askWith, factsOf, type RunStep } from '../leases/step.ts'
import { inTransaction, type Runtime, type Tenancy } from '../scope/scope.ts'
import type { Db } from '../storage/engines/engine.ts'
import { type Coming, type DueRow, findDue, loadDue, loadStatusFields } from '../storage/tables/due.ts'
import { loadLinked } from '../storage/tables/links.ts'
import { byService, type Notice, notify } from './notify.ts'

/** How often tasks are looked for that became due, and reminders whose time has come. */
const EVERY_MS = 10_000

/** What became due while the service was down is not lost for this long. */
const SINCE_MS = DAY_MS

export type Reminders = { look(): Promise<void>; stop(): void }

/**
 * Notifies members of their tasks that became due. Every node looks for them; the database accepts one notification of
 * each due date.
 */
export function openReminders({
  runtime: { engine, now },
  runStep,
  onFailure,
}: {
  runtime: Runtime
  runStep: RunStep
  onFailure(error: unknown): void
}): Reminders {
  const ask = askWith<typeof dueSteps>(runStep, () => 'write')
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    const at = now().getTime()
    const period = { since: new Date(at - SINCE_MS).toISOString(), until: new Date(at).toISOString() }
    await lookFor('tasks', period)
    await lookFor('reminders', period)
  }

  async function lookFor(what: Coming, period: { since: string; until: string }): Promise<void> {
    for (let last: DueRow | undefined; ; ) {
      const found = await findDue(engine.db, what, period, last)
      for (const [workspaceId, rows] of Map.groupBy(await stillToDo(engine.db, found), (row) => row.workspace_id)) {
        await ask(factsOf(workspaceId), 'notify-due', { ...period, what, ids: rows.map(({ id }) => id) })
      }
      last = found.at(-1)
      if (!last) return
    }
  }

  const again = () => {
    looking ??= look()
      .catch(onFailure)
      .finally(() => {
        looking = undefined
      })
    return looking
  }
  const timer = setInterval(() => void again(), EVERY_MS).unref()
  return { look: again, stop: () => clearInterval(timer) }
}

/** Without those that are done. */
async function stillToDo(db: Db, rows: readonly DueRow[]): Promise<DueRow[]> {
  if (rows.length === 0) return []
  const fields = await loadStatusFields(db, [...new Set(rows.map((row) => row.workspace_id))])
  return rows.filter((row) => {
    const status = fields.get(row.workspace_id)
    const value: unknown = status && JSON.parse(row.custom_fields)[status.key]
    return !status || value === undefined || value !== doneOption(status.options)?.id
  })
}

/** The database step of the node that looks. */
export const dueSteps = {
  'notify-due': (
    scope: Tenancy,
    { what, ...asked }: { what: Coming; ids: readonly string[]; since: string; until: string },
  ) =>
    inTransaction(scope, async (inside) => {
      const due = await stillToDo(inside.db, await loadDue(inside, what, asked))
      const linked = await loadLinked(
        inside,
        due.map(({ id }) => id),
        ['assignees'],
      )
      const assignees = Map.groupBy(linked, ({ from_id }) => from_id)
      await notify(byService(inside), ...due.map((task) => noticesOf(task, assignees.get(task.id) ?? [])))
      return null
    }),
}

/** A reminder is its member's. A task is its assignees', or its creator's if it has none. */
function noticesOf(task: DueRow, assignees: readonly { to_id: string }[]): Notice[] {
  const { event, user_id, minutes_before } = task
  const about = { resource: registry.tasks.number, record_id: task.id, event }
  if (user_id !== '') return [{ user_id, reason: 'due', ...about, detail: reminderDetail(minutes_before) }]
  const members = assignees.length > 0 ? assignees.map(({ to_id }) => to_id) : [task.creator_id ?? '']
  return members.map((user_id) => ({ user_id, reason: 'due', ...about }))
}

/** What the sentence of a reminder says of the time. At the due date, it is that of a task that is due. */
function reminderDetail(minutes: number | null): string | null {
  if (minutes === 0) return null
  return minutes === 60 ? 'is due in an hour' : minutes === 1440 ? 'is due in a day' : ''
}
