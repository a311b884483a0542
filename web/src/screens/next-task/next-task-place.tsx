import type { TaskPlan } from '@kith/contract/app/task-plan'
import { roleMay } from '@kith/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Suspense } from 'react'
import { call, callForData } from '../../api/call.ts'
import { useFields } from '../../api/fields.ts'
import type { ApiRecord, IncludedObject, RecordDocument, RecordPage } from '../../api/records.ts'
import { planPath } from '../../api/task-plans.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { chunk } from '../../components/chunk.tsx'
import { tellMore } from '../../components/toast-store.ts'
import { type ChangedTask, changedTask } from '../../drafts/changed-task.ts'
import { choiceIn } from '../../fields/values.ts'
import { formatDayToCome } from '../../format/moments.ts'
import { pathOf } from '../../places.ts'
import { useIsDone, useOpenTasks } from '../../properties/task-state.ts'
import { useStore } from '../../store.ts'
import { closedStages } from '../open-deals.ts'

// Most completed tasks are not the last of a deal.
const NextTaskDialog = chunk(async () => (await import('./next-task-dialog.tsx')).NextTaskDialog)

/** The opportunities of a task that are asked about: no task belongs to many. */
const DEALS_MAX = 5

/**
 * Over any screen, when this browser has completed a task: says when it comes again if it repeats, and otherwise asks
 * for the next one if it was the last open one of an open deal.
 */
export function NextTaskPlace() {
  const slug = useSlug()
  const changed = useStore(changedTask)
  const mayCreate = roleMay(useWorkspace().role, 'create')
  const isDone = useIsDone()
  const open = useOpenTasks()
  const closed = closedStages(useFields('opportunities'))
  const tellNext = useTellNext()
  const { data } = useQuery({
    queryKey: ['next task', changed?.key],
    queryFn: async ({ signal }) => {
      const path = `/w/${slug}/v1/tasks/${changed?.id}?include=opportunities,companies,people,assignees`
      const completed = await call<RecordDocument>('GET', path, { signal })
      if (!changed || !isDone(completed.data) || (await tellNext(changed, signal)) || !mayCreate) return null
      return withoutTask(completed, { slug, open, closed, signal })
    },
    enabled: changed?.slug === slug,
    // Asked once. A failure asks nothing.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  if (!data) return null
  return (
    <Suspense>
      <NextTaskDialog key={data.task.id} {...data} onClose={() => changedTask.set(undefined)} />
    </Suspense>
  )
}

/** Says when a completed task comes again, and leads to it. False if it does not. */
function useTellNext() {
  const slug = useSlug()
  const router = useRouter()
  return async ({ id, toast }: ChangedTask, signal: AbortSignal): Promise<boolean> => {
    const { next } = await callForData<TaskPlan>('GET', planPath(slug, id), { signal })
    if (!next) return false
    const due = next.due_date === null ? next.title : formatDayToCome(next.due_date)
    const params = { workspace: slug, resource: 'tasks', id: next.id }
    const open = () => void router.navigate({ to: '/$workspace/$resource/$id', params })
    const link = { label: 'Open', href: pathOf(slug, 'tasks', next.id), open }
    // A long title is cut off at its end.
    tellMore(toast, { message: `Next: ${due}. ${toast.message}`, link })
    return true
  }
}

/** The completed task with an open opportunity that now has no open task. */
async function withoutTask(
  { data: task, included = [] }: RecordDocument,
  asked: { slug: string; open: Record<string, unknown>; closed: readonly string[]; signal: AbortSignal },
): Promise<{ task: ApiRecord; deal: IncludedObject } | null> {
  const { slug, open, closed, signal } = asked
  const deals = included.filter((one) => one.type === 'opportunities' && !closed.includes(stageOf(one) ?? ''))
  for (const deal of deals.slice(0, DEALS_MAX)) {
    const body = { filter: { opportunities: { $in: [deal.id] }, ...open }, per_page: 1 }
    const { meta } = await call<RecordPage>('POST', `/w/${slug}/v1/tasks/query`, { body, signal })
    if (meta.total === 0) return { task, deal }
  }
  return null
}

function stageOf({ attributes: { custom_fields } }: IncludedObject): string | undefined {
  const stage = typeof custom_fields === 'object' && custom_fields !== null && 'stage' in custom_fields
  return stage ? choiceIn(custom_fields.stage)?.id : undefined
}
