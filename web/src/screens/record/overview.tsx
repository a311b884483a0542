import type { ReactNode } from 'react'
import { type ApiRecord, nameOf } from '../../api/records.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { formatDayExactly, formatDayNear } from '../../format/moments.ts'
import { DueDate } from '../../properties/due-date.tsx'
import { RecordLink } from '../../properties/record-link.tsx'
import { type Included, type Related, relatedTo } from '../../properties/related.ts'
import { RelatedName } from '../../properties/related-name.tsx'
import { ShowProperty } from '../../properties/show-property.tsx'
import { TaskCheck } from '../../properties/task-check.tsx'
import { useProperties } from '../../properties/use-properties.ts'
import { counted } from '../../resources.ts'
import { useOpenDeals, useOpenTasksOf } from './overview-queries.ts'
import { type Coming, comingDates } from './upcoming.ts'

/** What is open about a record, who is involved, and what comes next. */
export function Overview({ record, included }: { record: ApiRecord; included: Included }) {
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
    {
      records: [record],
      included,
      relations: ['accountOwner', 'contact', 'company', 'companies', 'assignees', 'people', 'creator'],
    },
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
      <RecordLink resource="tasks" id={task.id} tabIndex={0} className="min-w-0 flex-1 truncate hover:underline">
        {nameOf(task)}
      </RecordLink>
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
      <RecordLink
        resource="opportunities"
        id={deal.id}
        tabIndex={0}
        className="min-w-0 flex-1 truncate font-medium hover:underline"
      >
        {nameOf(deal)}
      </RecordLink>
      {told.map((property) => (
        <span key={property.key} className="shrink-0 text-quiet">
          <ShowProperty property={property} record={deal} included={new Map()} />
        </span>
      ))}
    </li>
  )
}

function More({ total, shown, of }: { total: number; shown: number; of: 'tasks' | 'opportunities' }) {
  return total > shown ? <p className="text-xs text-faint">{counted(total, of)} are open in all.</p> : null
}

function ComingDate({ coming: { day, label, record }, isOwn }: { coming: Coming; isOwn: boolean }) {
  return (
    <li className={line}>
      <time dateTime={day} title={formatDayExactly(day)} className="w-24 shrink-0 text-quiet">
        {formatDayNear(day)}
      </time>
      <span className="shrink-0 text-quiet">{label}</span>
      {!isOwn && (
        <RecordLink resource={record.type} id={record.id} tabIndex={0} className="min-w-0 truncate hover:underline">
          {nameOf(record)}
        </RecordLink>
      )}
    </li>
  )
}

type Involving = { records: readonly ApiRecord[]; included: Included; relations: readonly string[] }

/** Everyone whom the records name, once. */
function involved(all: readonly Involving[]): Related[] {
  const found = new Map<string, Related>()
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
