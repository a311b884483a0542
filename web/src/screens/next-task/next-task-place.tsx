import { roleMay } from '@kith/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { call } from '../../api/call.ts'
import type { ApiRecord, IncludedObject, RecordDocument, RecordPage } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { chunk } from '../../components/chunk.tsx'
import { changedTask } from '../../drafts/changed-task.ts'
import { choiceIn } from '../../fields/values.ts'
import { useIsDone, useOpenTasks } from '../../properties/task-state.ts'
import { useStore } from '../../store.ts'
import { isClosedStage } from '../open-deals.ts'

// Most completed tasks are not the last of a deal.
const NextTaskDialog = chunk(async () => (await import('./next-task-dialog.tsx')).NextTaskDialog)

/** The opportunities of a task that are asked about: no task belongs to many. */
const DEALS_MAX = 5

/** Asks for the next task, over any screen, when this browser has completed the last open one of an open deal. */
export function NextTaskPlace() {
  const slug = useSlug()
  const changed = useStore(changedTask)
  const mayCreate = roleMay(useWorkspace().role, 'create')
  const isDone = useIsDone()
  const open = useOpenTasks()
  const { data } = useQuery({
    queryKey: ['next task', changed],
    queryFn: ({ signal }) => withoutTask({ slug, id: changed?.id ?? '', isDone, open, signal }),
    enabled: mayCreate && changed?.slug === slug,
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

/** The task, if it is completed, with an open opportunity that now has no open task. */
async function withoutTask(asked: {
  slug: string
  id: string
  isDone(task: ApiRecord): boolean
  open: Record<string, unknown>
  signal: AbortSignal
}): Promise<{ task: ApiRecord; deal: IncludedObject } | null> {
  const { slug, id, isDone, open, signal } = asked
  const path = `/w/${slug}/v1/tasks/${id}?include=opportunities,companies,people,assignees`
  const { data: task, included = [] } = await call<RecordDocument>('GET', path, { signal })
  if (!isDone(task)) return null
  const deals = included.filter((one) => one.type === 'opportunities' && isOpen(one)).slice(0, DEALS_MAX)
  for (const deal of deals) {
    const body = { filter: { opportunities: { $in: [deal.id] }, ...open }, per_page: 1 }
    const { meta } = await call<RecordPage>('POST', `/w/${slug}/v1/tasks/query`, { body, signal })
    if (meta.total === 0) return { task, deal }
  }
  return null
}

function isOpen({ attributes: { custom_fields } }: IncludedObject): boolean {
  const stage = typeof custom_fields === 'object' && custom_fields !== null && 'stage' in custom_fields
  return !stage || !isClosedStage(choiceIn(custom_fields.stage)?.label ?? '')
}
