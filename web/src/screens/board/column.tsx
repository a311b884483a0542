import { useDroppable } from '@dnd-kit/core'
import type { ResourceName } from '@kith/contract/resource'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Field } from '../../api/fields.ts'
import { useSlug } from '../../api/workspace.ts'
import { classNames } from '../../components/class-names.ts'
import { Pill } from '../../components/pill.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { formatMoney, formatMoneyShort, formatNumber } from '../../format/numbers.ts'
import { includedIn } from '../../properties/related.ts'
import { joined, type ListQuery } from '../records/list-query.ts'
import { Card } from './card.tsx'
import { columnQuery } from './column-records.ts'
import { type BoardColumn, columnFilter } from './columns.ts'

type Props = {
  resource: ResourceName
  field: Field
  column: BoardColumn
  query: ListQuery
  count: number
  sum: { field: Field; value: number | null } | undefined
  movable: boolean
}

export function Column({ resource, field, column, query, count, sum, movable }: Props) {
  const slug = useSlug()
  const { setNodeRef, isOver } = useDroppable({ id: column.id })
  const filter = joined(query.filter, columnFilter(field, column))
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    columnQuery(slug, resource, { columnId: column.id, query: { ...query, ...(filter && { filter }) } }),
  )
  return (
    <section
      ref={setNodeRef}
      aria-label={`${column.label}, ${formatNumber(count)}`}
      className={classNames(
        'flex w-68 shrink-0 flex-col rounded-lg bg-sunk',
        isOver && 'outline-2 -outline-offset-2 outline-accent',
      )}
    >
      <header className="flex h-10 shrink-0 items-center gap-2 px-3">
        <Pill tint={column.color}>{column.label}</Pill>
        <span data-numeric className="text-xs text-quiet">
          {formatNumber(count)}
        </span>
        {sum?.value != null && sum.value !== 0 && <Sum field={sum.field} value={sum.value} />}
      </header>
      <div className="min-h-0 flex-1 space-y-1.5 overflow-y-auto px-1.5 pb-2">
        {!data && !error && <Skeleton className="mx-2 mt-2 h-14" />}
        {error && (
          <button type="button" onClick={() => refetch()} className="px-2 py-3 text-left text-sm text-danger">
            {error.message} Try again.
          </button>
        )}
        {data?.pages.map((page) => {
          const included = includedIn(page)
          return page.data.map((record) => (
            <Card key={record.id} record={record} field={field} included={included} movable={movable} />
          ))
        })}
        {hasNextPage && <More onSeen={() => !isFetchingNextPage && fetchNextPage()} />}
      </div>
    </section>
  )
}

function Sum({ field, value }: { field: Field; value: number }) {
  return (
    <span
      data-numeric
      title={`${field.name}: ${formatMoney(value, field.settings)}`}
      className="ml-auto text-xs text-quiet"
    >
      {formatMoneyShort(value, field.settings)}
    </span>
  )
}

/** Asks for more as soon as the end of the column comes near. */
function More({ onSeen }: { onSeen(): void }) {
  const mark = useRef<HTMLDivElement>(null)
  const seen = useRef(onSeen)
  seen.current = onSeen
  useEffect(() => {
    const watcher = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && seen.current(), {
      rootMargin: '300px',
    })
    if (mark.current) watcher.observe(mark.current)
    return () => watcher.disconnect()
  }, [])
  return <div ref={mark} aria-hidden className="h-8" />
}
