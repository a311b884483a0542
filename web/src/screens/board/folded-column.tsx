import { useDroppable } from '@dnd-kit/core'
import { classNames } from '../../components/class-names.ts'
import { formatNumber } from '../../format/numbers.ts'
import type { BoardColumn } from './columns.ts'

type Props = { column: BoardColumn; count: number | undefined; onUnfold(): void }

/** A column as a strip: its name and count. Cards can be dropped on it, and a click unfolds it. */
export function FoldedColumn({ column, count, onUnfold }: Props) {
  const { setNodeRef, isOver } = useDroppable({ id: column.id })
  return (
    <section
      ref={setNodeRef}
      aria-label={`${column.label}, folded`}
      className={classNames(
        'flex w-10 shrink-0 flex-col rounded-lg bg-sunk',
        isOver && 'outline-2 -outline-offset-2 outline-accent',
      )}
    >
      <button
        type="button"
        aria-expanded={false}
        aria-label={`Unfold ${column.label}`}
        onClick={onUnfold}
        className="flex min-h-0 flex-1 flex-col items-center gap-2 rounded-lg py-3 text-xs hover:bg-hover"
      >
        <span data-numeric className="text-quiet">
          {count === undefined ? '' : formatNumber(count)}
        </span>
        <span className="min-h-0 truncate font-medium [writing-mode:vertical-rl]">{column.label}</span>
      </button>
    </section>
  )
}
