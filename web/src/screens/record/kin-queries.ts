import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useFields } from '../../api/fields.ts'
import { type ApiRecord, type RecordPage, recordsKey, type SummaryRequest, summaryQuery } from '../../api/records.ts'
import { useResource } from '../../api/schema.ts'
import { useSlug } from '../../api/workspace.ts'
import { type BackReference, backReferenceFilter, kinOf } from '../../properties/back-references.ts'
import { useOpenTasks } from '../../properties/task-state.ts'
import { useSummedField } from '../board/board-choice.ts'
import { openDealsFilter } from '../open-deals.ts'

/** The latest records of one kind that belong to a record. */
export function kinQuery(slug: string, kin: BackReference, { id }: ApiRecord) {
  const body = { filter: backReferenceFilter(kin, id), per_page: KIN_SHOWN, include: kin.relation }
  return queryOptions({
    queryKey: [...recordsKey(slug, kin.resource), 'kin', kin.relation, id],
    queryFn: ({ signal }) => call<RecordPage>('POST', `/w/${slug}/v1/${kin.resource}/query`, { body, signal }),
  })
}

/** So many are shown in a tab; all of them are a list of their own. */
export const KIN_SHOWN = 20

/** So many are in the overview; the tab of the resource has more. */
const LISTED = 10

/** The open tasks of a record, the most urgent first. */
export function useOpenTasksOf(record: ApiRecord) {
  const filter = useKinFilter(record, 'tasks', useOpenTasks())
  return useKin('tasks', filter, { sort: 'custom_fields.due_date', include: 'assignees' })
}

/** The open opportunities of a record, those that close next first. */
export function useOpenDeals(record: ApiRecord) {
  const filter = useOpenDealsFilter(record)
  const hasDate = useFields('opportunities').some(({ code }) => code === 'close_date')
  return useKin('opportunities', filter, { ...(hasDate && { sort: 'custom_fields.close_date' }), include: 'contact' })
}

/** How many opportunities of a record are open, and what they are worth together. */
export function useOpenDealSum(record: ApiRecord) {
  const filter = useOpenDealsFilter(record)
  const field = useSummedField('opportunities')
  const measured = field
    ? ({ measure: 'sum', field: `custom_fields.${field.code}` } as const)
    : ({ measure: 'count' } as const)
  const asked: SummaryRequest = { resource: 'opportunities', ...measured, ...(filter && { filter }) }
  const { data } = useQuery({ ...summaryQuery(useSlug(), asked), enabled: filter !== undefined })
  const [all] = data?.data ?? []
  return { isKnown: data !== undefined, count: all?.count ?? 0, sum: all?.value ?? 0, settings: field?.settings }
}

function useOpenDealsFilter(record: ApiRecord) {
  return useKinFilter(record, 'opportunities', openDealsFilter(useFields('opportunities')))
}

/** The records of one kind that name a record, as far as they are open. Undefined if none can name it. */
function useKinFilter(record: ApiRecord, resource: 'tasks' | 'opportunities', open: Record<string, unknown>) {
  const kin = kinOf(useResource(record.type)).filter((one) => one.resource === resource)
  if (kin.length === 0) return undefined
  return { $or: kin.map((one) => backReferenceFilter(one, record.id)), ...open }
}

function useKin(resource: 'tasks' | 'opportunities', filter: object | undefined, asked: object) {
  const slug = useSlug()
  const body = { ...asked, filter, per_page: LISTED }
  const { data, error, refetch, isLoading } = useQuery({
    queryKey: [...recordsKey(slug, resource), 'open', body],
    queryFn: ({ signal }) => call<RecordPage>('POST', `/w/${slug}/v1/${resource}/query`, { body, signal }),
    enabled: filter !== undefined,
  })
  const isNamed = filter !== undefined
  return { isNamed, records: data?.data ?? [], total: data?.meta.total ?? 0, error, refetch, isLoading }
}
