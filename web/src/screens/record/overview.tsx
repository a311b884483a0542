import { fieldTypes } from '@kith/contract/field-types'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { useFields } from '../../api/fields.ts'
import { type ApiRecord, type RecordPage, recordsKey } from '../../api/records.ts'
import { useResource } from '../../api/schema.ts'
import { useSlug } from '../../api/workspace.ts'
import { ErrorState, Skeleton } from '../../components/states.tsx'
import { TaskCheck } from '../../drafts/task-check.tsx'
import { textIn } from '../../fields/values.ts'
import { dayIn, formatDayExactly, formatDayNear, toLocalDay } from '../../format/moments.ts'
import { backReferenceFilter, kinOf } from '../../properties/back-references.ts'
import { DueDate } from '../../properties/due-date.tsx'
import { type Property, useProperties } from '../../properties/property.ts'
import { NamedLink } from '../../properties/record-link.tsx'
import { type IncludedRecords, includedIn, type RelatedRecord, relatedTo } from '../../properties/related.ts'
import { RelatedName } from '../../properties/related-name.tsx'
import { ShowProperty } from '../../properties/show-property.tsx'
import { DUE_DATE, useOpenTasks } from '../../properties/task-state.ts'
import { avatarOf, counted, useAppearance } from '../../resources.ts'

/** What is open about a record, who is involved, and what comes next. */
export function Overview({ record, included }: { record: ApiRecord; included: IncludedRecords }) {
  const tasks = useOpenTasksOf(record)
  const deals = useOpenDeals(record)
  const properties = useProperties(record.type)
  const dealProperties = useProperties('opportunities')
  const error = tasks.error ?? deals.error
  if (error) return <ErrorState error={error} onRetry={() => Promise.all([tasks.refetch(), deals.refetch()])} />
  if (tasks.isLoading || deals.isLoading) return <Skeleton className="w-1/2" />
  const coming = comingDates([
    { records: [record], properties },
    { records: tasks.records, properties: [] },
    { records: deals.records, properties: dealProperties },
  ])
  const people = involved([
    { records: [record], included, relations: properties.flatMap(toPeople) },
    { records: deals.records, included: deals.included, relations: ['contact'] },
    { records: tasks.records, included: tasks.included, relations: ['assignees', 'people'] },
  ])
  return (
    <div className="grid gap-6">
      <Part title="Open">
        {tasks.records.length + deals.records.length === 0 && <Nothing>Nothing is open.</Nothing>}
        <ul>
          {deals.records.map((deal) => (
            <OpenDeal key={deal.id} deal={deal} />
          ))}
          {tasks.records.map((task) => (
            <OpenTask key={task.id} task={task} />
          ))}
        </ul>
        <More total={tasks.total} shown={tasks.records.length} of="tasks" />
        <More total={deals.total} shown={deals.records.length} of="opportunities" />
      </Part>
      <Part title="Involved">
        {people.length === 0 && <Nothing>Nobody yet.</Nothing>}
        <ul className="flex flex-wrap gap-x-4 gap-y-2">
          {people.map((person) => (
            <li key={`${person.type} ${person.id}`} className="min-w-0 max-w-full text-sm">
              <RelatedName related={person} tabIndex={0} />
            </li>
          ))}
        </ul>
      </Part>
      <Part title="Next">
        {coming.length === 0 && <Nothing>No upcoming dates.</Nothing>}
        <ol>
          {coming.map((one) => (
            <ComingDate key={`${one.record.id} ${one.label}`} coming={one} isOwn={one.record.id === record.id} />
          ))}
        </ol>
      </Part>
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="mb-1.5 text-xs font-medium text-quiet">{title}</h2>
      {children}
    </section>
  )
}

function Nothing({ children }: { children: ReactNode }) {
  return <p className="text-sm text-faint">{children}</p>
}

const line = 'flex min-h-9 items-center gap-2.5 text-sm'

function OpenTask({ task }: { task: ApiRecord }) {
  return (
    <li className={line}>
      <TaskCheck task={task} />
      <NamedLink record={task} className="flex-1 truncate" />
      <span className="shrink-0 text-quiet">
        <DueDate task={task} short />
      </span>
    </li>
  )
}

function OpenDeal({ deal }: { deal: ApiRecord }) {
  const told = useProperties('opportunities').filter(
    ({ key }) => key === 'custom_fields.stage' || key === 'custom_fields.amount',
  )
  return (
    <li className={line}>
      <NamedLink record={deal} className="flex-1 truncate font-medium" />
      {told.map((property) => (
        <span key={property.key} className="shrink-0 text-quiet">
          <ShowProperty property={property} record={deal} included={new Map()} />
        </span>
      ))}
    </li>
  )
}

function More({ total, shown, of }: { total: number; shown: number; of: 'tasks' | 'opportunities' }) {
  const words = useAppearance(of)
  return total > shown ? <p className="text-xs text-faint">{counted(total, words)} are open in all.</p> : null
}

function ComingDate({ coming: { day, label, record }, isOwn }: { coming: ComingDate; isOwn: boolean }) {
  return (
    <li className={line}>
      <time dateTime={day} title={formatDayExactly(day)} className="w-24 shrink-0 text-quiet">
        {formatDayNear(day)}
      </time>
      <span className="shrink-0 text-quiet">{label}</span>
      {!isOwn && <NamedLink record={record} className="truncate" />}
    </li>
  )
}

/** The relation of a property that names members, people or companies. */
function toPeople(property: Property): string[] {
  if (property.kind === 'creator') return [property.include]
  const isRelation = property.kind === 'reference' || property.kind === 'links'
  return isRelation && avatarOf(property.to) ? [property.include] : []
}

/** Everyone whom the records name, once. */
function involved(
  all: readonly { records: readonly ApiRecord[]; included: IncludedRecords; relations: readonly string[] }[],
): RelatedRecord[] {
  const found = new Map<string, RelatedRecord>()
  for (const { records, included, relations } of all) {
    for (const record of records) {
      for (const related of relations.flatMap((relation) => relatedTo(record, relation, included))) {
        const key = `${related.type} ${related.id}`
        if (related.name !== '' && !found.has(key)) found.set(key, related)
      }
    }
  }
  return [...found.values()]
}

/** A date that lies ahead: of a record itself, or of one that belongs to it. */
type ComingDate = { day: string; label: string; record: ApiRecord }

/** How many are shown. */
const SHOWN = 8

/** The next dates in the date fields of records, and the days on which tasks are due. */
function comingDates(
  all: readonly { records: readonly ApiRecord[]; properties: readonly Property[] }[],
  now = new Date(),
): ComingDate[] {
  const today = toLocalDay(now.toISOString())
  const found = all.flatMap(({ records, properties }) => records.flatMap((record) => datesOf(record, properties)))
  const ahead = found.filter(({ day }) => day >= today)
  return ahead.toSorted((one, other) => (one.day < other.day ? -1 : 1)).slice(0, SHOWN)
}

function datesOf(record: ApiRecord, properties: readonly Property[]): ComingDate[] {
  const { custom_fields } = record.attributes
  if (record.type === 'tasks' && properties.length === 0) {
    const due = textIn(custom_fields[DUE_DATE])
    return due === '' ? [] : [{ day: toLocalDay(due), label: 'Due', record }]
  }
  return properties.flatMap((property) => {
    if (property.kind !== 'custom') return []
    const { type, code, name } = property.field
    const value = fieldTypes[type].isTime ? textIn(custom_fields[code]) : ''
    return value === '' ? [] : [{ day: dayIn(value), label: name, record }]
  })
}

/** So many are shown; the tab of the resource has them all. */
const LISTED = 10

/** The open tasks of a record, the most urgent first. */
function useOpenTasksOf(record: ApiRecord) {
  const open = useOpenTasks()
  const asked = { sort: 'custom_fields.due_date', include: 'assignees,people', per_page: LISTED }
  return useKin(record, 'tasks', { open, asked })
}

/** The stages in which an opportunity is no longer open, in a workspace that has them. */
const CLOSED = ['Closed Won', 'Closed Lost']

/** The open opportunities of a record, those that close next first. */
function useOpenDeals(record: ApiRecord) {
  const fields = useFields('opportunities')
  const closed =
    fields.find(({ code }) => code === 'stage')?.options.filter(({ label }) => CLOSED.includes(label)) ?? []
  const ids = closed.map(({ id }) => id)
  const open = ids.length === 0 ? {} : { $not: { custom_fields: { stage: { $in: ids } } } }
  const sort = fields.some(({ code }) => code === 'close_date') ? { sort: 'custom_fields.close_date' } : {}
  return useKin(record, 'opportunities', { open, asked: { ...sort, include: 'contact', per_page: LISTED } })
}

function useKin(
  record: ApiRecord,
  resource: 'tasks' | 'opportunities',
  { open, asked }: { open: Record<string, unknown>; asked: Record<string, unknown> },
) {
  const slug = useSlug()
  const kin = kinOf(useResource(record.type)).filter((one) => one.resource === resource)
  const body = { ...asked, filter: { $or: kin.map((one) => backReferenceFilter(one, record.id)), ...open } }
  const { data, error, refetch, isLoading } = useQuery({
    queryKey: [...recordsKey(slug, resource), 'open', body],
    queryFn: ({ signal }) => call<RecordPage>('POST', `/w/${slug}/v1/${resource}/query`, { body, signal }),
    enabled: kin.length > 0,
  })
  const included = data ? includedIn(data) : new Map()
  return { records: data?.data ?? [], total: data?.meta.total ?? 0, included, error, refetch, isLoading }
}
