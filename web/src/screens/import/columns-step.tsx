import type { TargetContext } from '@kith/contract/import/target'
import { useMemo, useState } from 'react'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { useHeld } from '../../components/typed.ts'
import { formatNumber } from '../../format/numbers.ts'
import { CheckButton } from './check-button.tsx'
import { checkDraft } from './check-draft.ts'
import { ColumnLine } from './column-line.tsx'
import { rememberChoices } from './columns/earlier-choices.ts'
import { planOf } from './columns/plan.ts'
import type { Draft } from './draft.ts'
import { keepDraft } from './draft-store.ts'
import { FileLine } from './file-line.tsx'
import { ImportSettings } from './import-settings.tsx'
import { RowPreview } from './row-preview.tsx'

type Props = { draft: Draft; context: TargetContext }

/** A file can have 2,000 columns. A page with all of them would be slow. */
const MORE = 50

/** Where each column goes, what happens to existing records, and what the rows look like. */
export function ColumnsStep({ draft, context }: Props) {
  const slug = useSlug()
  const { type } = context.resource
  const [most, setMost] = useState(MORE)
  useHeld(true)
  const change = (changed: Draft) => {
    rememberChoices(slug, type, changed)
    keepDraft(slug, type, changed)
  }
  const plan = useMemo(
    () => planOf(draft.scanned.header, draft.targets, { ...context, ...draft.chosen }),
    [draft, context],
  )
  const checked = useMemo(() => checkDraft(draft, plan, context), [draft, plan, context])
  const setTarget = (index: number, target: string | null) => {
    const picked = { ...draft.picked, [draft.scanned.header[index] ?? '']: target }
    change({ ...draft, picked, targets: draft.targets.with(index, target) })
  }
  const columns = draft.scanned.header.map((name, index) => ({ name, index, checked }))
  const shown = columns.filter(({ index }) => index < most || draft.targets[index] !== null)
  return (
    <>
      <div className="flex-1 overflow-y-auto">
        <div className="mx-auto max-w-240 px-4 py-6 sm:px-6">
          <FileLine draft={draft} context={context} />
          <section aria-label="Columns" className="mt-6">
            <h2 className="text-sm font-semibold">Columns</h2>
            <ul className="mt-2 divide-y divide-line border-y border-line">
              {shown.map((column) => (
                <ColumnLine
                  key={column.name}
                  draft={draft}
                  context={context}
                  column={column}
                  onTarget={(target) => setTarget(column.index, target)}
                />
              ))}
            </ul>
            {shown.length < columns.length && (
              <p className="mt-2 flex flex-wrap items-center gap-x-3 text-sm text-quiet">
                {formatNumber(columns.length - shown.length)} more columns are not imported.
                <Button size="small" look="quiet" onClick={() => setMost(most + MORE)}>
                  Show more columns
                </Button>
              </p>
            )}
          </section>
          <ImportSettings draft={draft} context={context} hasNewOptions={checked.hasNewOptions} onChange={change} />
          <RowPreview plan={plan} checked={checked} draft={draft} context={context} />
        </div>
      </div>
      <CheckButton draft={draft} plan={plan} problems={checked.problems} context={context} />
    </>
  )
}
