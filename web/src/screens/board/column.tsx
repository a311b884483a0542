import { useDroppable } from '@dnd-kit/core'
import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { useInfiniteQuery } from '@tanstack/react-query'
import { ChevronsRightLeft, Plus } from 'lucide-react'
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { type Draft, NEW, useDraftAt } from '../../api/drafts.ts'
import type { Field } from '../../api/fields.ts'
import type { ApiRecord } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { classNames } from '../../components/class-names.ts'
import { IconButton } from '../../components/icon-button.tsx'
import { Pill } from '../../components/pill.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { formatMoney, formatMoneyShort, formatNumber } from '../../format/numbers.ts'
import { withDraft } from '../../properties/property-draft.ts'
import { includedIn } from '../../properties/related.ts'
import { appearances } from '../../resources.ts'
import type { Column as ListColumn } from '../records/columns.ts'
import type { ListQuery } from '../records/list-query.ts'
import { CardSkeletons } from './board-skeleton.tsx'
import { Card } from './card.tsx'
import { columnQuery } from './column-records.ts'
import type { Totals } from './column-totals.ts'
import { type BoardColumn, columnIn } from './columns.ts'
import { MovedCards } from './moved-cards.tsx'
import { NewCard, newCardAt } from './new-card.tsx'

type Props = {
  resource: ResourceName
  field: Field
  column: BoardColumn
  query: ListQuery
  /** What its cards show. */
  cardColumns: readonly ListColumn[]
  /** Moves that are not saved yet, by the ids of their records. */
  drafts: ReadonlyMap<string, Draft>
  totals: Totals
  /** The field that is summed up, where there is one. */
  summed: Field | undefined
  movable: boolean
  onFold(): void
}

export function Column(props: Props) {
  const { resource, field, column, query, cardColumns, drafts, totals, summed, movable, onFold } = props
  const slug = useSlug()
  const mayCreate = roleMay(useWorkspace().role, 'create')
  const [asked, setAdding] = useState(false)
  const begun = useDraftAt({ slug, resource, id: NEW, property: newCardAt(field, column) })
  const adding = asked || begun !== undefined
  const { count } = totals
  const { one } = appearances[resource]
  const { setNodeRef, isOver } = useDroppable({ id: column.id })
  const place = useRef<HTMLElement>(null)
  const seen = useSeen(place)
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    ...columnQuery(slug, resource, { field, column, query }),
    // Columns out of sight come last.
    enabled: seen || (count !== undefined && (!summed || totals.sum !== undefined)),
  })
  const scroller = useRef<HTMLDivElement>(null)
  const pages = useMemo(() => data?.pages.map((page) => ({ page, included: includedIn(page) })) ?? [], [data])
  const stays = (record: ApiRecord) => columnIn(withDraft(record, drafts.get(record.id)), field) === column.id
  const own = new Set(pages.flatMap(({ page }) => page.data.map(({ id }) => id)))
  const moved = [...drafts.values()].filter(({ id }) => !own.has(id))
  return (
    <section
      ref={(node) => {
        place.current = node
        setNodeRef(node)
      }}
      aria-label={count === undefined ? column.label : `${column.label}, ${formatNumber(count)}`}
      aria-busy={!data && !error}
      className={classNames(
        'group/column flex w-68 shrink-0 flex-col rounded-lg bg-sunk',
        isOver && 'outline-2 -outline-offset-2 outline-accent',
      )}
    >
      <header className="flex h-10 shrink-0 items-center gap-2 pr-1 pl-3">
        <Pill tint={column.color} className="min-w-0 shrink">
          {column.label}
        </Pill>
        {count === undefined ? (
          <Skeleton className="w-6" />
        ) : (
          <span data-numeric className="text-xs text-quiet">
            {formatNumber(count)}
          </span>
        )}
        <span className="flex-1" />
        {summed && totals.sum === undefined && <Skeleton className="w-10" />}
        {summed && totals.sum != null && totals.sum !== 0 && <Sum field={summed} value={totals.sum} />}
        <span className="flex opacity-0 group-focus-within/column:opacity-100 group-hover/column:opacity-100 max-md:opacity-100">
          <IconButton label={`Fold ${column.label}`} size="small" onClick={onFold}>
            <ChevronsRightLeft />
          </IconButton>
          {mayCreate && (
            <IconButton label={`New ${one} in ${column.label}`} size="small" onClick={() => setAdding(true)}>
              <Plus />
            </IconButton>
          )}
        </span>
      </header>
      <div ref={scroller} className="min-h-0 flex-1 space-y-1.5 overflow-y-auto px-1.5 pb-2">
        {adding && <NewCard resource={resource} field={field} column={column} onClose={() => setAdding(false)} />}
        {!data && !error && <CardSkeletons count={Math.min(count ?? 3, 3)} />}
        {error && (
          <button type="button" onClick={() => refetch()} className="px-2 py-3 text-left text-sm text-danger">
            {error.message} Try again.
          </button>
        )}
        <MovedCards {...props} drafts={moved} />
        {pages.map(({ page, included }) =>
          page.data
            .filter(stays)
            .map((record) => (
              <Card
                key={record.id}
                record={record}
                included={included}
                columns={cardColumns}
                draft={drafts.get(record.id)}
                movable={movable}
              />
            )),
        )}
        {hasNextPage && <More key={pages.length} scroller={scroller} onSeen={fetchNextPage} />}
        {mayCreate && !adding && data && (
          <Button look="quiet" size="small" className="w-full justify-start" onClick={() => setAdding(true)}>
            <Plus aria-hidden />
            New {one}
          </Button>
        )}
      </div>
    </section>
  )
}

function Sum({ field, value }: { field: Field; value: number }) {
  return (
    <span data-numeric title={`${field.name}: ${formatMoney(value, field.settings)}`} className="text-xs text-quiet">
      {formatMoneyShort(value, field.settings)}
    </span>
  )
}

type MoreProps = { scroller: RefObject<HTMLDivElement | null>; onSeen(): unknown }

/** Stands for the next page, and asks for it before the reader has scrolled to it. */
function More({ scroller, onSeen }: MoreProps) {
  const mark = useRef<HTMLDivElement>(null)
  const seen = useSeen(mark, scroller)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, each page has its own
  useEffect(() => {
    if (seen) onSeen()
  }, [seen])
  return (
    <div ref={mark} data-more>
      <CardSkeletons count={2} />
    </div>
  )
}

const NEAR = 200

/** Whether an element has been in sight, or close to it. */
function useSeen(element: RefObject<HTMLElement | null>, scroller?: RefObject<HTMLElement | null>): boolean {
  const [seen, setSeen] = useState(false)
  // The observer reports only after the first frame.
  useLayoutEffect(() => {
    const { left = Number.POSITIVE_INFINITY } = element.current?.getBoundingClientRect() ?? {}
    if (!scroller && left < window.innerWidth + NEAR) setSeen(true)
  }, [element, scroller])
  useEffect(() => {
    if (seen || !element.current) return
    const watcher = new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && setSeen(true), {
      root: scroller?.current ?? null,
      rootMargin: `${NEAR}px`,
    })
    watcher.observe(element.current)
    return () => watcher.disconnect()
  }, [seen, element, scroller])
  return seen
}
