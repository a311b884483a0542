import type { Reminder, RepeatRule, TaskPlan } from '@kith/contract/app/task-plan'
import { useQuery } from '@tanstack/react-query'
import { call, dataQuery } from './call.ts'
import { recordsKey } from './records.ts'
import { useSlug } from './workspace.ts'

/** What is set of a task besides its record. Null ends it. */
export type PlanChange = { repeat?: RepeatRule | null | undefined; reminder?: Reminder | null | undefined }

/** How a task repeats, what came after it, and when the reader is reminded. Live updates of tasks load it again. */
export function planQuery(slug: string, id: string) {
  return dataQuery<TaskPlan>([...recordsKey(slug, 'tasks'), 'plan', id], planPath(slug, id))
}

export function planPath(slug: string, id: string): string {
  return `/w/${slug}/tasks/${id}/plan`
}

/** Whether a task repeats. All tasks on the screen share one request. */
export function useRepeats(id: string): boolean {
  const slug = useSlug()
  const { data } = useQuery({
    ...dataQuery<string[]>([...recordsKey(slug, 'tasks'), 'repeats'], `/w/${slug}/repeats`),
    select: (ids) => ids.includes(id),
  })
  return data ?? false
}

/** Sets what is given, the rest stays. Setting it again changes nothing. */
export async function changePlan(slug: string, id: string, change: PlanChange, send = call): Promise<void> {
  for (const key of ['repeat', 'reminder'] as const) {
    const body = change[key]
    const path = `/w/${slug}/tasks/${id}/${key}`
    if (body) await send('PUT', path, { body })
    else if (body === null) await send('DELETE', path)
  }
}
