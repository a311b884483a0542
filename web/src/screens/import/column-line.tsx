import type { TargetContext } from '@kith/contract/import/target'
import { ArrowRight, TriangleAlert } from 'lucide-react'
import { formatCount } from '../../format/numbers.ts'
import type { Checked } from './check-draft.ts'
import type { Draft } from './draft.ts'
import { TargetPicker } from './target-picker.tsx'

type Props = {
  draft: Draft
  context: TargetContext
  column: { name: string; index: number; checked: Checked }
  onTarget(target: string | null): void
}

const SHOWN = 3

/** A column of the file, some of its values, and where it goes. */
export function ColumnLine({ draft, context, column: { name, index, checked }, onTarget }: Props) {
  const { rows } = draft.scanned
  const values = [...new Set(rows.map((row) => row[index]?.trim() ?? ''))].filter((value) => value !== '')
  const problem = checked.byColumn.get(index)
  const other = checked.conflicts.get(index)
  return (
    <li className="grid grid-cols-1 items-center gap-x-4 gap-y-1 py-2 sm:grid-cols-[minmax(0,1fr)_16px_minmax(0,18rem)]">
      <div className="min-w-0">
        <p dir="auto" className="truncate text-sm font-medium" title={name}>
          {name}
        </p>
        <p dir="auto" className="truncate text-xs text-faint">
          {values.length === 0 ? 'Empty' : values.slice(0, SHOWN).join(' · ')}
        </p>
      </div>
      <ArrowRight aria-hidden className="size-4 text-faint max-sm:hidden" />
      <div className="min-w-0">
        <TargetPicker draft={draft} context={context} index={index} onTarget={onTarget} />
        {other !== undefined && (
          <p className="mt-1 text-xs text-danger">{draft.scanned.header[other]} goes to the same field.</p>
        )}
        {other === undefined && problem && (
          <p className="mt-1 flex gap-1 text-xs text-warning">
            <TriangleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
            {formatCount(problem.count, 'row')}
            {rows.length < draft.scanned.total ? ` of the first ${rows.length}` : ''}: {problem.message}
          </p>
        )}
      </div>
    </li>
  )
}
