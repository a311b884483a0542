import type { TargetContext } from '@kith/contract/import/target'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import type { Checked } from './check-draft.ts'
import type { Plan } from './columns/plan.ts'
import type { Draft } from './draft.ts'
import { ProblemTable } from './problem-table.tsx'
import { labelOf } from './target-words.ts'

type Props = { plan: Plan; checked: Checked; draft: Draft; context: TargetContext }

const SHOWN = 20

/** The first rows as they will be written, with problems next to the cells. */
export function RowPreview({ plan, checked, draft, context }: Props) {
  const [onlyWrong, setOnlyWrong] = useState(false)
  const columns = plan.columns.flatMap(({ sources }, index) => {
    const target = draft.targets[sources[0] ?? -1]
    return target && plan.targets[index] ? [{ index, label: labelOf(target, context) }] : []
  })
  const rows = checked.rows.map((row, index) => ({ ...row, row: index + 1 }))
  const wrong = rows.filter(({ problems }) => problems.size > 0)
  const shown = (onlyWrong ? wrong : rows).slice(0, SHOWN)
  if (columns.length === 0) return null
  return (
    <section aria-label="Preview" className="mt-8">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-sm font-semibold">Preview</h2>
        {wrong.length > 0 && (
          <Button
            size="small"
            look="quiet"
            active={onlyWrong}
            aria-pressed={onlyWrong}
            onClick={() => setOnlyWrong(!onlyWrong)}
          >
            Only rows with problems
          </Button>
        )}
      </div>
      <ProblemTable label="First rows" columns={columns} rows={shown} />
      <p className="mt-2 text-xs text-faint">
        {rows.length < draft.scanned.total ? `The first ${rows.length} rows are read here. ` : ''}
        The check reads every row, and compares it with your records.
      </p>
    </section>
  )
}
