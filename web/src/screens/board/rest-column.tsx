import { useDroppable } from '@dnd-kit/core'
import { ChevronsLeftRight, ChevronsRightLeft } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Field } from '../../api/fields.ts'
import { IconButton } from '../../components/button.tsx'
import { classNames } from '../../components/class-names.ts'
import { formatMoneyShort, formatNumber } from '../../format/numbers.ts'
import { ColumnName } from './column.tsx'
import type { BoardColumn, ColumnTotals } from './columns.ts'

/**
 * The folded columns as one narrow column, with their count and sum. A click opens it, and so does a card that is
 * dragged: then each of them takes the card.
 */
export function RestColumn(props: {
  columns: readonly BoardColumn[]
  totalsOf(id: string): ColumnTotals
  summed: Field | undefined
  dragging: boolean
  onUnfold(id: string): void
}) {
  const { columns, totalsOf, summed, dragging, onUnfold } = props
  const [opened, setOpen] = useState(false)
  const place = useRef<HTMLElement>(null)
  // On a phone it opens beyond the edge of the screen.
  useEffect(() => {
    if (opened) place.current?.scrollIntoView({ inline: 'nearest', block: 'nearest' })
  }, [opened])
  if (columns.length === 0) return null
  const all = columns.map(({ id }) => totalsOf(id))
  const totals = { count: sumOf(all.map(({ count }) => count)), sum: sumOf(all.map(({ sum }) => sum)) }
  const title = columns.length === 1 ? '1 folded column' : `${columns.length} folded columns`
  if (!opened && !dragging) {
    return (
      <section aria-label={title} className="flex w-18 shrink-0 flex-col rounded-lg bg-sunk">
        <button
          type="button"
          aria-expanded={false}
          aria-label={`Open ${title}`}
          onClick={() => setOpen(true)}
          className="flex min-h-0 flex-1 flex-col items-center gap-2 rounded-lg px-0.5 py-3 text-xs hover:bg-hover"
        >
          <Totals totals={totals} summed={summed} />
          <span dir="auto" className="min-h-0 truncate font-medium [writing-mode:vertical-rl]">
            {columns.map(({ label }) => label).join(', ')}
          </span>
        </button>
      </section>
    )
  }
  return (
    <section ref={place} aria-label={title} className="flex w-56 shrink-0 flex-col rounded-lg bg-sunk">
      <header className="flex h-10 shrink-0 items-center gap-2 pr-1 pl-3 text-sm text-quiet">
        <span className="flex-1 truncate">{title}</span>
        <IconButton label={`Close ${title}`} size="small" aria-expanded onClick={() => setOpen(false)}>
          <ChevronsRightLeft />
        </IconButton>
      </header>
      <ul className="min-h-0 flex-1 space-y-1 overflow-y-auto px-1.5 pb-2">
        {columns.map((column) => (
          <FoldedColumn
            key={column.id}
            column={column}
            totals={totalsOf(column.id)}
            summed={summed}
            onUnfold={() => onUnfold(column.id)}
          />
        ))}
      </ul>
    </section>
  )
}

function FoldedColumn(props: {
  column: BoardColumn
  totals: ColumnTotals
  summed: Field | undefined
  onUnfold(): void
}) {
  const { column, totals, summed, onUnfold } = props
  const { setNodeRef, isOver } = useDroppable({ id: column.id })
  return (
    <li
      ref={setNodeRef}
      aria-label={column.label}
      className={classNames(
        'flex min-h-13 items-center gap-2 rounded-md bg-paper pr-1 pl-2 text-xs',
        isOver && 'outline-2 -outline-offset-2 outline-accent',
      )}
    >
      <span className="min-w-0 flex-1">
        <span className="flex">
          <ColumnName column={column} />
        </span>
        <span className="mt-0.5 flex gap-2">
          <Totals totals={totals} summed={summed} />
        </span>
      </span>
      <IconButton label={`Unfold ${column.label}`} size="small" onClick={onUnfold}>
        <ChevronsLeftRight />
      </IconButton>
    </li>
  )
}

function Totals({ totals: { count, sum }, summed }: { totals: ColumnTotals; summed: Field | undefined }) {
  return (
    <>
      <span data-numeric className="text-quiet">
        {count === undefined ? '' : formatNumber(count)}
      </span>
      {summed && sum != null && sum !== 0 && (
        <span data-numeric title={summed.name} className="max-w-full truncate text-quiet">
          {formatMoneyShort(sum, summed.settings)}
        </span>
      )}
    </>
  )
}

/** Undefined until all are known. */
function sumOf(values: readonly (number | null | undefined)[]): number | undefined {
  if (values.includes(undefined)) return undefined
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
}
