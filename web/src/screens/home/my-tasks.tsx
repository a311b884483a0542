import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { type ApiRecord, type RecordPage, recordsKey } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { ErrorState, Skeleton } from '../../components/states.tsx'
import { TaskCheck } from '../../drafts/task-check.tsx'
import { DueDate } from '../../properties/due-date.tsx'
import { RecordName } from '../../properties/record-link.tsx'
import { useOpenTasks } from '../../properties/task-state.ts'
import { useAppearance } from '../../resources.ts'

const SHOWN = 8

/** The open tasks of the signed-in user, most urgent first. */
export function MyTasks() {
  const slug = useSlug()
  const { many } = useAppearance('tasks')
  // Assigned to me, and not completed.
  const filter = { assigned_to_me: { $eq: true }, ...useOpenTasks() }
  const { data, error, refetch } = useQuery({
    queryKey: [...recordsKey(slug, 'tasks'), 'mine', filter],
    queryFn: ({ signal }) => {
      const body = {
        filter,
        sort: 'custom_fields.due_date',
        per_page: SHOWN,
        fields: ['title', 'custom_fields.due_date', 'custom_fields.status'],
      }
      return call<RecordPage>('POST', `/w/${slug}/v1/tasks/query`, { body, signal })
    },
  })
  const total = data?.meta.total ?? 0
  return (
    <Panel
      title={`My open ${many}`}
      extra={
        <span className="flex gap-3">
          <Link
            to="/$workspace/$resource"
            params={{ workspace: slug, resource: 'tasks' }}
            search={{ layout: 'calendar', span: 'week', filter: { assigned_to_me: { $eq: true } } }}
            className="hover:text-ink hover:underline"
          >
            My week
          </Link>
          <Link
            to="/$workspace/$resource"
            params={{ workspace: slug, resource: 'tasks' }}
            search={{ filter }}
            className="hover:text-ink hover:underline"
          >
            {total > SHOWN ? `All ${total}` : 'Open the list'}
          </Link>
        </span>
      }
    >
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton className="mt-2 w-2/3" />}
      {total === 0 && data && <Nothing>{`No open ${many}. What is assigned to you appears here.`}</Nothing>}
      <ul>
        {data?.data.map((task) => (
          <Task key={task.id} task={task} />
        ))}
      </ul>
    </Panel>
  )
}

function Task({ task }: { task: ApiRecord }) {
  return (
    <li className="-mx-2 flex h-9 items-center gap-3 rounded-md px-2 hover:bg-hover">
      <TaskCheck task={task} />
      <RecordName record={task} />
      <span className="shrink-0 text-xs text-quiet">
        <DueDate task={task} short />
      </span>
    </li>
  )
}

/** One part of the home screen. */
export function Panel(props: {
  title: string
  /** Shown at the end of the title's line. */
  extra?: ReactNode
  children: ReactNode
}) {
  const { title, extra, children } = props
  return (
    <section aria-label={title} className="min-w-0">
      <header className="flex min-h-8 flex-wrap items-baseline justify-between gap-x-3 border-b border-line">
        <h2 className="text-sm font-medium">{title}</h2>
        {extra && <div className="max-w-full truncate text-sm text-quiet">{extra}</div>}
      </header>
      <div className="pt-3">{children}</div>
    </section>
  )
}

/** Said where there is nothing to show. */
export function Nothing({ children }: { children: ReactNode }) {
  return <p className="py-6 text-sm text-faint">{children}</p>
}
