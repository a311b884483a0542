import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useFields } from '../../api/fields.ts'
import { type ApiRecord, type RecordPage, recordsKey } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { includedIn } from '../../properties/related.ts'
import { useOpenTasks } from '../../properties/task-state.ts'
import { type Kin, kinFilter, kinOf } from './kin.ts'

/** So many are shown; the tab of the resource has them all. */
const SHOWN = 10

/** The open tasks of a record, the most urgent first. */
export function useOpenTasksOf(record: ApiRecord) {
  const open = useOpenTasks()
  const asked = { sort: 'custom_fields.due_date', include: 'assignees,people', per_page: SHOWN }
  return useKin(record, 'tasks', { open, asked })
}

/** The stages in which an opportunity is no longer open, in a workspace that has them. */
const CLOSED = ['Closed Won', 'Closed Lost']

/** The open opportunities of a record, those that close next first. */
export function useOpenDeals(record: ApiRecord) {
  const fields = useFields('opportunities')
  const closed =
    fields.find(({ code }) => code === 'stage')?.options.filter(({ label }) => CLOSED.includes(label)) ?? []
  const ids = closed.map(({ id }) => id)
  const open = ids.length === 0 ? {} : { $not: { custom_fields: { stage: { $in: ids } } } }
  const sort = fields.some(({ code }) => code === 'close_date') ? { sort: 'custom_fields.close_date' } : {}
  return useKin(record, 'opportunities', { open, asked: { ...sort, include: 'contact', per_page: SHOWN } })
}

type Wanted = { open: Record<string, unknown>; asked: Record<string, unknown> }

function useKin(record: ApiRecord, resource: 'tasks' | 'opportunities', { open, asked }: Wanted) {
  const slug = useSlug()
  const kin = kinOf(record.type).find((one): one is Kin => one.resource === resource)
  const body = { ...asked, filter: { ...(kin ? kinFilter(kin, record.id) : {}), ...open } }
  const { data, error, refetch, isLoading } = useQuery({
    queryKey: [...recordsKey(slug, resource), 'open', body],
    queryFn: ({ signal }) => call<RecordPage>('POST', `/w/${slug}/v1/${resource}/query`, { body, signal }),
    enabled: kin !== undefined,
  })
  const included = data ? includedIn(data) : new Map()
  return { records: data?.data ?? [], total: data?.meta.total ?? 0, included, error, refetch, isLoading }
}
