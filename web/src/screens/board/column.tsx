import { useDroppable } from '@dnd-kit/core'
import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { infiniteQueryOptions, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { ChevronsRightLeft, Plus } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import type { Field } from '../../api/fields.ts'
import { type ColumnMark, cardIn } from '../../api/patch-record.ts'
import { type ApiRecord, type RecordDocument, type RecordPage, recordsKey } from '../../api/records.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { classNames } from '../../components/class-names.ts'
import { Pill } from '../../components/pill.tsx'
import { Skeleton } from '../../components/states.tsx'
import { type Draft, NEW } from '../../drafts/draft-store.ts'
import { useDraftAt } from '../../drafts/drafts.ts'
import { useNamedDraft } from '../../drafts/new-record.ts'
import { withDraft } from '../../drafts/property-draft.ts'
import { idIn } from '../../fields/values.ts'
import { formatMoney, formatMoneyShort, formatNumber } from '../../format/numbers.ts'
import { includedIn } from '../../properties/related.ts'
import { RelatedAvatar } from '../../properties/related-name.tsx'
import { useAppearance } from '../../resources.ts'
import type { Column as ListColumn } from '../records/columns.ts'
import { joined, type ListQuery } from '../records/list-query.ts'
import { CardSkeletons } from './board-skeleton.tsx'
import { Card } from './card.tsx'
import { type BoardColumn, type ColumnTotals, columnFilter, columnIn } from './columns.ts'

export function Column(props: {
  resource: ResourceName
  field: Field
  column: BoardColumn
  query: ListQuery
  /** The properties on its cards. */
  cardColumns: readonly ListColumn[]
  /** Moves that are not saved yet, by the ids of their records. */
  drafts: ReadonlyMap<string, Draft>
  totals: ColumnTotals
  /** The field that is summed up, where there is one. */
  summed: Field | undefined
  movable: boolean
  onFold(): void
}) {
  const { resource, field, column, query, cardColumns, drafts, totals, summed, movable, onFold } = props
  const slug = useSlug()
  const mayCreate = roleMay(useWorkspace().role, 'create')
  const [asked, setAdding] = useState(false)
  const begun = useDraftAt({ slug, resource, id: NEW, property: newCardAt(field, column) })
  const adding = asked || begun !== undefined
  const { count } = totals
  const { one } = useAppearance(resource)
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
      <header className="relative flex h-10 shrink-0 items-center gap-2 pr-3 pl-3 max-md:pr-1">
        <ColumnName column={column} />
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
        {/* Over the sum, so that the name has room. */}
        <span className="flex bg-sunk group-focus-within/column:opacity-100 group-hover/column:opacity-100 md:absolute md:right-1 md:opacity-0">
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

/** An option as it looks elsewhere, or the record or member that the cards name. */
export function ColumnName({ column: { value, label, color } }: { column: BoardColumn }) {
  if (value && 'type' in value) {
    return (
      <span title={label} className="flex min-w-0 items-center gap-1.5 text-sm font-medium">
        <RelatedAvatar related={value} />
        <span dir="auto" className="truncate">
          {label}
        </span>
      </span>
    )
  }
  return (
    <Pill tint={color} className="min-w-0 shrink">
      {label}
    </Pill>
  )
}

function Sum({ field, value }: { field: Field; value: number }) {
  return (
    <span data-numeric title={`${field.name}: ${formatMoney(value, field.settings)}`} className="text-xs text-quiet">
      {formatMoneyShort(value, field.settings)}
    </span>
  )
}

/** Stands for the next page, and asks for it before the reader has scrolled to it. */
function More({ scroller, onSeen }: { scroller: RefObject<HTMLDivElement | null>; onSeen(): unknown }) {
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

/** More than fit on a screen. */
const PER_PAGE = 15

/** The records of one column, a few at a time. */
function columnQuery(
  slug: string,
  resource: ResourceName,
  { field, column, query }: { field: Field; column: BoardColumn; query: ListQuery },
) {
  const filter = joined(query.filter, columnFilter(field, column))
  const asked = { ...query, ...(filter && { filter }) }
  const mark: ColumnMark = { code: field.code, option: column.value?.id ?? null }
  return infiniteQueryOptions({
    queryKey: [...recordsKey(slug, resource), 'column', column.id, asked],
    queryFn: ({ pageParam, signal }) => {
      const body = { per_page: PER_PAGE, page: pageParam, ...asked }
      return call<RecordPage>('POST', `/w/${slug}/v1/${resource}/query`, { body, signal })
    },
    initialPageParam: 1,
    getNextPageParam: ({ meta }) => (meta.current_page < meta.last_page ? meta.current_page + 1 : undefined),
    meta: { column: mark },
  })
}

/** Where the name of a new card of a column is kept. */
function newCardAt({ code }: Field, { id }: BoardColumn): string {
  return `card ${code} ${id}`
}

/** Names a new card of a column. Enter creates it and begins the next one; Escape ends. */
function NewCard(props: { resource: ResourceName; field: Field; column: BoardColumn; onClose(): void }) {
  const { resource, field, column, onClose } = props
  const { one } = useAppearance(resource)
  const { typed, isWaiting, problem, type, create, discard } = useNamedDraft({
    resource,
    at: newCardAt(field, column),
    label: `New ${one} in ${column.label}`,
    page: useLocation({ select: ({ href }) => href }),
    values: { custom_fields: { [field.code]: column.value?.id ?? null } },
    told: true,
  })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') {
      // An attempt without an answer may have created it, so it stays.
      if (!isWaiting) discard()
      onClose()
    }
    if (event.key !== 'Enter') return
    event.preventDefault()
    create()
  }
  return (
    <div className="rounded-md border border-accent bg-paper px-3 py-2">
      <input
        // biome-ignore lint/a11y/noAutofocus: the user has just asked for it
        autoFocus
        dir="auto"
        autoComplete="off"
        aria-label={`Name of the new ${one}`}
        placeholder={`Name of the ${one}`}
        value={typed}
        readOnly={isWaiting}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => typed.trim() === '' && onClose()}
        className="w-full bg-transparent text-sm font-medium outline-none placeholder:text-faint"
      />
      {problem === undefined ? (
        <p className="mt-1 text-xs text-faint">{isWaiting ? 'Saving…' : 'Enter creates it, Escape ends.'}</p>
      ) : (
        <p role="alert" className="mt-1 text-xs text-danger">
          Not saved: {problem}
        </p>
      )}
    </div>
  )
}

type Props = {
  drafts: readonly Draft[]
  field: Field
  column: BoardColumn
  query: ListQuery
  cardColumns: readonly ListColumn[]
  movable: boolean
}

/** The cards that were moved to a column and that the service does not have there yet. */
function MovedCards({ drafts, field, column, ...shown }: Props) {
  return drafts
    .filter((draft) => draft.state !== 'conflict' && targetOf(draft, field) === column.value?.id)
    .map((draft) => <MovedCard key={draft.id} draft={draft} {...shown} />)
}

/** The id of the value that a draft gives to its record. */
function targetOf({ change }: Draft, { code }: Field): string | undefined {
  return idIn(change.shown.custom_fields?.[code])
}

function MovedCard(props: Pick<Props, 'query' | 'cardColumns' | 'movable'> & { draft: Draft }) {
  const {
    draft,
    query: { include },
    cardColumns,
    movable,
  } = props
  const queries = useQueryClient()
  const { slug, resource, id } = draft
  const key = recordsKey(slug, resource)
  const { data } = useQuery({
    queryKey: [...key, 'card', id, include],
    queryFn: ({ signal }) => {
      const asked = include === undefined ? '' : `?include=${include}`
      return call<RecordDocument>('GET', `/w/${slug}/v1/${resource}/${id}${asked}`, { signal })
    },
    // The column that it comes from has it, except after a reload.
    initialData: () => {
      const known = cardIn(queries.getQueryCache().findAll({ queryKey: [...key, 'column'] }), id)
      return known && { data: known.record, included: [...known.included] }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!data) return null
  const shown = { columns: cardColumns, draft, movable }
  return <Card record={data.data} included={includedIn(data)} {...shown} />
}
