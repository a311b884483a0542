import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import { useFields } from '../../api/fields.ts'
import { type ApiRecord, nameOf, type RecordPage, recordsKey } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { formatDay, formatMomentExactly } from '../../format/moments.ts'
import { Nothing, Panel } from './panel.tsx'

const SHOWN = 8

/** The open tasks of the signed-in user, most urgent first. */
export function MyTasks() {
  const slug = useSlug()
  const filter = useOpenFilter()
  const { data, error, refetch } = useQuery({
    queryKey: [...recordsKey(slug, 'tasks'), 'mine', filter],
    queryFn: ({ signal }) => {
      const body = {
        filter,
        sort: 'custom_fields.due_date',
        per_page: SHOWN,
        fields: ['title', 'custom_fields.due_date'],
      }
      return call<RecordPage>('POST', `/w/${slug}/v1/tasks/query`, { body, signal })
    },
  })
  const total = data?.meta.total ?? 0
  return (
    <Panel
      title="My open tasks"
      extra={
        <Link
          to="/$workspace/$resource"
          params={{ workspace: slug, resource: 'tasks' }}
          search={{ filter }}
          className="hover:text-ink hover:underline"
        >
          {total > SHOWN ? `All ${total}` : 'Open the list'}
        </Link>
      }
    >
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton className="mt-2 w-2/3" />}
      {total === 0 && data && <Nothing>No open tasks. Tasks that are assigned to you appear here.</Nothing>}
      <ul>
        {data?.data.map((task) => (
          <Task key={task.id} task={task} />
        ))}
      </ul>
    </Panel>
  )
}

function Task({ task }: { task: ApiRecord }) {
  const slug = useSlug()
  const due = task.attributes.custom_fields.due_date
  return (
    <li className="-mx-2 flex h-9 items-center gap-3 rounded-md px-2 hover:bg-hover">
      <Link
        to="/$workspace/$resource/$id"
        params={{ workspace: slug, resource: 'tasks', id: task.id }}
        dir="auto"
        className="min-w-0 flex-1 truncate text-sm hover:underline"
      >
        {nameOf(task)}
      </Link>
      {typeof due === 'string' && <Due moment={due} />}
    </li>
  )
}

function Due({ moment }: { moment: string }) {
  const overdue = Date.parse(moment) < Date.now()
  return (
    <time
      dateTime={moment}
      title={formatMomentExactly(moment)}
      className={`shrink-0 text-xs ${overdue ? 'text-danger' : 'text-quiet'}`}
    >
      {overdue && 'Overdue, '}
      {formatDay(moment.slice(0, 10))}
    </time>
  )
}

/** Assigned to me, and not in the last of the states that a task goes through. */
function useOpenFilter(): Record<string, unknown> {
  const done = useFields('tasks')
    .find(({ code }) => code === 'status')
    ?.options.at(-1)
  const open = done ? { $not: { custom_fields: { status: { $eq: done.id } } } } : {}
  return { assigned_to_me: { $eq: true }, ...open }
}
