import { Repeat } from 'lucide-react'
import type { ApiRecord } from '../api/records.ts'
import { useRepeats } from '../api/task-plans.ts'

/** Marks a task that repeats, not for the eye alone. */
export function RepeatSign({ task }: { task: ApiRecord }) {
  if (!useRepeats(task.id)) return null
  return (
    <span title="Repeats" className="inline-flex shrink-0 align-middle text-quiet">
      <Repeat aria-hidden className="size-3" />
      <span className="sr-only">, repeats</span>
    </span>
  )
}
