import { roleMay } from '@kith/contract/permissions'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { BellRing, type LucideIcon, Repeat } from 'lucide-react'
import type { ReactNode } from 'react'
import { type ApiRecord, recordsKey } from '../../api/records.ts'
import { changePlan, type PlanChange, planQuery } from '../../api/task-plans.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { showToast } from '../../components/toast-store.ts'
import { ReminderPicker, RepeatPicker } from '../../drafts/plan-pickers.tsx'
import { formatDue } from '../../format/moments.ts'
import { RecordLink } from '../../properties/record-link.tsx'
import { useIsDone } from '../../properties/task-state.ts'

/** How a task repeats, and when the user is reminded of it. A completed task leads to the next one. */
export function PlanLines({ task }: { task: ApiRecord }) {
  const slug = useSlug()
  const queries = useQueryClient()
  const query = planQuery(slug, task.id)
  const { data: plan } = useQuery(query)
  const mayEdit = roleMay(useWorkspace().role, 'update')
  const isDone = useIsDone()(task)
  if (!plan) return null
  const change = async (to: PlanChange) => {
    queries.setQueryData(query.queryKey, { ...plan, ...to })
    try {
      await changePlan(slug, task.id, to)
    } catch (error) {
      showToast({ tone: 'danger', message: `Not saved: ${error instanceof Error ? error.message : String(error)}` })
    }
    await queries.invalidateQueries({ queryKey: recordsKey(slug, 'tasks') })
  }
  return (
    <dl className="mt-0.5 grid gap-0.5">
      <Line icon={Repeat} label="Repeat">
        {plan.next ? (
          <p className="truncate px-2 text-sm leading-7">
            Next:{' '}
            <RecordLink resource="tasks" id={plan.next.id} tabIndex={0} className="hover:underline">
              {plan.next.due_date ? formatDue(plan.next.due_date) : plan.next.title}
            </RecordLink>
          </p>
        ) : (
          <RepeatPicker
            label="Repeat"
            className={quiet}
            value={plan.repeat}
            disabled={!mayEdit || isDone}
            onChange={(repeat) => void change({ repeat })}
          />
        )}
      </Line>
      <Line icon={BellRing} label="Remind me">
        <ReminderPicker
          label="Remind me"
          className={quiet}
          value={plan.reminder}
          disabled={isDone}
          onChange={(reminder) => void change({ reminder })}
        />
      </Line>
    </dl>
  )
}

/** Like the values above: a border shows what can be changed. */
const quiet = 'border-transparent! bg-transparent! px-2! hover:border-edge! focus:border-accent!'

function Line({ icon: Icon, label, children }: { icon: LucideIcon; label: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[9.75rem_minmax(0,1fr)] items-start max-[22.5rem]:grid-cols-1">
      <dt className="flex min-h-8 items-center gap-2 text-sm text-quiet">
        <Icon aria-hidden className="size-3.5 shrink-0 text-faint" />
        <span className="truncate">{label}</span>
      </dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  )
}
