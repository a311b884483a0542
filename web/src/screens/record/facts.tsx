import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ApiRecord } from '../../api/records.ts'
import { useResource } from '../../api/schema.ts'
import { useSlug } from '../../api/workspace.ts'
import { Moment } from '../../components/moment.tsx'
import { Skeleton } from '../../components/states.tsx'
import { TaskCheck } from '../../drafts/task-check.tsx'
import { formatMoney, formatNumber } from '../../format/numbers.ts'
import { backReferencesOf, kinOf } from '../../properties/back-references.ts'
import { DueDate } from '../../properties/due-date.tsx'
import { NamedLink } from '../../properties/record-link.tsx'
import { counted, useAppearance } from '../../resources.ts'
import { useOpenDealSum, useOpenTasksOf } from './kin-queries.ts'
import { useLastContact } from './last-contact.ts'

/** What one wants to know first about a record: the next task, the last contact and the open opportunities. */
export function Facts({ record }: { record: ApiRecord }) {
  const resource = useResource(record.type)
  const has = (name: string) => kinOf(resource).some((kin) => kin.resource === name)
  const isLinked = backReferencesOf(resource).some((kin) => kin.resource === 'notes')
  if (!isLinked && !has('tasks') && !has('opportunities')) return null
  return (
    <section
      aria-label="Key facts"
      className="mt-5 grid gap-x-6 first:mt-0 gap-y-3 rounded-lg border border-line px-4 py-3 sm:auto-cols-fr sm:grid-flow-col"
    >
      {has('tasks') && <NextTask record={record} />}
      {isLinked && <LastContact record={record} />}
      {has('opportunities') && <OpenDeals record={record} />}
    </section>
  )
}

/** A fact, and what it says about itself in a second line. */
function Fact({ title, more, children }: { title: string; more?: ReactNode; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <h2 className="text-xs font-medium text-quiet">{title}</h2>
      <div className="mt-1 flex min-h-5 min-w-0 items-center gap-2 text-sm">{children}</div>
      <p className="mt-0.5 min-h-4 truncate text-xs text-quiet">{more}</p>
    </div>
  )
}

const none = <span className="text-faint">None</span>

function NextTask({ record }: { record: ApiRecord }) {
  const { records, total, isLoading } = useOpenTasksOf(record)
  const { many } = useAppearance('tasks')
  const [task] = records
  if (!task) return <Fact title="Next task">{isLoading ? <Skeleton className="w-3/4" /> : none}</Fact>
  return (
    <Fact
      title="Next task"
      more={
        <>
          <DueDate task={task} short />
          {total > 1 && ` · ${formatNumber(total)} open ${many}`}
        </>
      }
    >
      <TaskCheck task={task} />
      <NamedLink record={task} className="truncate font-medium" />
    </Fact>
  )
}

function LastContact({ record }: { record: ApiRecord }) {
  const contact = useLastContact(record)
  const workspace = useSlug()
  if (!contact) {
    return <Fact title="Last contact">{contact === null ? none : <Skeleton className="w-3/4" />}</Fact>
  }
  const { at, by, record: about, comment } = contact
  const { type: resource, id } = record
  return (
    <Fact
      title="Last contact"
      more={
        <>
          {by?.name && `${by.name} · `}
          <Moment at={at} />
        </>
      }
    >
      {about ? (
        <NamedLink record={about} className="truncate font-medium" />
      ) : (
        <Link
          to="/$workspace/$resource/$id"
          params={{ workspace, resource, id }}
          search={{ ...(comment !== undefined && { comment }) }}
          className="truncate font-medium hover:underline"
        >
          Comment
        </Link>
      )}
    </Fact>
  )
}

function OpenDeals({ record }: { record: ApiRecord }) {
  const { isKnown, count, sum, settings } = useOpenDealSum(record)
  const words = useAppearance('opportunities')
  const title = `Open ${words.many}`
  if (count === 0) return <Fact title={title}>{isKnown ? none : <Skeleton className="w-3/4" />}</Fact>
  return (
    <Fact title={title} more={settings && counted(count, words)}>
      <span data-numeric className="truncate font-medium">
        {settings ? formatMoney(sum, settings) : counted(count, words)}
      </span>
    </Fact>
  )
}
