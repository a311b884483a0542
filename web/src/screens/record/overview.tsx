import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ApiRecord } from '../../api/records.ts'
import { useResource } from '../../api/schema.ts'
import { useSlug } from '../../api/workspace.ts'
import { classNames } from '../../components/class-names.ts'
import { ErrorState, Skeleton } from '../../components/states.tsx'
import { TaskCheck } from '../../drafts/task-check.tsx'
import { textIn } from '../../fields/values.ts'
import { formatMoney } from '../../format/numbers.ts'
import { backReferencesOf } from '../../properties/back-references.ts'
import { DueDate } from '../../properties/due-date.tsx'
import { type Property, useProperties } from '../../properties/property.ts'
import { NamedLink } from '../../properties/record-link.tsx'
import { type IncludedRecords, type RelatedRecord, relatedTo } from '../../properties/related.ts'
import { RelatedName } from '../../properties/related-name.tsx'
import { ShowProperty } from '../../properties/show-property.tsx'
import { avatarOf, counted, useAppearance } from '../../resources.ts'
import { kinQuery, useOpenDealSum, useOpenDeals, useOpenTasksOf } from './kin-queries.ts'

/** What is open about a record, and who is involved in which role. */
export function Overview({ record, included }: { record: ApiRecord; included: IncludedRecords }) {
  const tasks = useOpenTasksOf(record)
  const deals = useOpenDeals(record)
  const { count, sum, settings } = useOpenDealSum(record)
  const [ofTasks, ofDeals] = [useAppearance('tasks'), useAppearance('opportunities')]
  const error = tasks.error ?? deals.error
  if (error) return <ErrorState error={error} onRetry={() => Promise.all([tasks.refetch(), deals.refetch()])} />
  return (
    <div className="grid gap-6">
      {deals.isNamed && (
        <Part
          title={`Open ${ofDeals.many}`}
          extra={count > 0 && settings && `${counted(count, ofDeals)}, ${formatMoney(sum, settings)}`}
          isLoading={deals.isLoading}
          more={deals.total - deals.records.length}
        >
          {deals.records.map((deal) => (
            <OpenDeal key={deal.id} deal={deal} />
          ))}
        </Part>
      )}
      {tasks.isNamed && (
        <Part
          title={`Open ${ofTasks.many}`}
          extra={tasks.total > 0 && counted(tasks.total, ofTasks)}
          isLoading={tasks.isLoading}
          more={tasks.total - tasks.records.length}
        >
          {tasks.records.map((task) => (
            <OpenTask key={task.id} task={task} />
          ))}
        </Part>
      )}
      <Involved record={record} included={included} />
    </div>
  )
}

function Part(props: {
  title: string
  extra?: ReactNode
  isLoading: boolean
  /** How many are not shown. The tab of the resource has them. */
  more: number
  children: readonly ReactNode[]
}) {
  const { title, extra, isLoading, more, children } = props
  return (
    <section aria-label={title}>
      <div className="mb-1 flex items-baseline justify-between gap-3 border-b border-line pb-1">
        <h2 className="text-xs font-medium text-quiet">{title}</h2>
        <span data-numeric className="text-xs text-quiet">
          {extra}
        </span>
      </div>
      {isLoading && <Skeleton className="my-2 w-1/2" />}
      {!isLoading && children.length === 0 && <p className="py-1 text-sm text-faint">None</p>}
      <ul>{children}</ul>
      {more > 0 && <p className="text-xs text-faint">{more} more</p>}
    </section>
  )
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

/** What a line says about an opportunity, and where. */
const told: readonly [key: string, look: string][] = [
  ['custom_fields.stage', 'min-w-0'],
  ['custom_fields.close_date', 'w-24 max-sm:hidden'],
  ['custom_fields.amount', 'min-w-26'],
]

function OpenDeal({ deal }: { deal: ApiRecord }) {
  const properties = useProperties('opportunities')
  return (
    <li className={line}>
      <NamedLink record={deal} className="flex-1 truncate font-medium" />
      {told.map(([key, look]) => {
        const property = properties.find((one) => one.key === key)
        return (
          property && (
            <span key={key} className={classNames('flex shrink-0 justify-end text-quiet', look)}>
              <ShowProperty property={property} record={deal} included={new Map()} />
            </span>
          )
        )
      })}
    </li>
  )
}

/** Everyone whom the record names, by the name of the relation, and the people who belong to it, by their job. */
function Involved({ record, included }: { record: ApiRecord; included: IncludedRecords }) {
  const slug = useSlug()
  const resource = useResource(record.type)
  const named = useProperties(record.type).flatMap((property) => namedBy(property, record, included))
  const kin = backReferencesOf(resource).find((one) => one.resource === 'people')
  const query = kinQuery(slug, kin ?? NO_KIN, record)
  const { data, isLoading } = useQuery({ ...query, enabled: kin !== undefined })
  const staff = (data?.data ?? []).map((person) => ({ person: asRelated(person), role: jobOf(person.attributes) }))
  const known = new Map([...staff, ...named].map((one) => [one.person.id, one]))
  return (
    <Part title="Involved" isLoading={isLoading} more={(data?.meta.total ?? 0) - staff.length}>
      {[...known.values()].map(({ person, role }) => (
        <li key={person.id} className={line}>
          <span className="min-w-0 flex-1">
            <RelatedName related={person} tabIndex={0} />
          </span>
          <span className="max-w-1/2 truncate text-quiet">{role}</span>
        </li>
      ))}
    </Part>
  )
}

/** Stands for the people of a record that cannot have any. Nothing is asked for. */
const NO_KIN = { resource: 'people', attribute: '', relation: '', many: false }

type Person = { person: RelatedRecord; role: string }

/** The members, people and companies that a property names. What the workspace calls it is their role. */
function namedBy(property: Property, record: ApiRecord, included: IncludedRecords): Person[] {
  const isRelation = property.kind === 'reference' || property.kind === 'links'
  if (!isRelation || !avatarOf(property.to)) return []
  const people = relatedTo(record, property.include, included).filter(({ name }) => name !== '')
  return people.map((person) => {
    const job = jobOf(included.get(`${person.type} ${person.id}`)?.attributes)
    return { person, role: job === '' ? property.label : `${property.label}, ${job}` }
  })
}

function asRelated(person: ApiRecord): RelatedRecord {
  return { id: person.id, type: person.type, name: textIn(person.attributes.name) }
}

/** The job title of a person, in a workspace that has such a field. */
function jobOf(attributes: Record<string, unknown> | undefined): string {
  const values = attributes?.custom_fields
  return typeof values === 'object' && values !== null && 'job_title' in values ? textIn(values.job_title) : ''
}
