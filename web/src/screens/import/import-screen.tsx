import { roleMay } from '@kith/contract/permissions'
import type { Resource, ResourceName } from '@kith/contract/resource'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowRight, FileUp, Lock, TriangleAlert, Upload } from 'lucide-react'
import { type DragEvent, useEffect, useMemo, useRef, useState } from 'react'
import { messageOf } from '../../api/problems.ts'
import { useResource } from '../../api/schema.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { classNames } from '../../components/class-names.ts'
import { EmptyState } from '../../components/states.tsx'
import { useHeld } from '../../components/typed.ts'
import { formatCount, formatNumber } from '../../format/numbers.ts'
import { FormProblem } from '../../forms/form.tsx'
import { appearanceOf } from '../../resources.ts'
import { Header } from '../../shell/header.tsx'
import { CheckButton, WorkProgress } from './check-button.tsx'
import { checkDraft, type DraftCheck } from './check-draft.ts'
import { storeChoices } from './columns/earlier-choices.ts'
import { type Plan, planOf } from './columns/plan.ts'
import type { ImportDraft } from './draft.ts'
import { keepDraft, useDraft } from './draft-store.ts'
import { FileLine, recognise } from './file-line.tsx'
import { ImportSettings } from './import-settings.tsx'
import { ProblemTable } from './problem-table.tsx'
import { openFile } from './reading/open-file.ts'
import { TargetPicker } from './target-picker.tsx'
import { labelOf } from './target-words.ts'

const route = getRouteApi('/$workspace/$resource/import')

/** Brings the records of a file into a resource: choose the file, then its columns, then look at the check. */
export function ImportScreen() {
  const { resource } = route.useParams()
  return <ImportOf key={resource} name={resource} />
}

function ImportOf({ name }: { name: ResourceName }) {
  const slug = useSlug()
  const { role } = useWorkspace()
  const resource = useResource(name)
  const draft = useDraft(slug, name)
  const { many } = appearanceOf(resource)
  return (
    <>
      <Header icon={<Upload aria-hidden />} title={`Import ${many}`}>
        <Link
          to="/$workspace/settings/$page"
          params={{ workspace: slug, page: 'imports' }}
          className="rounded-md px-2 py-1 text-sm text-quiet hover:bg-hover hover:text-ink"
        >
          Earlier imports
        </Link>
      </Header>
      {!roleMay(role, 'create') ? (
        <EmptyState icon={Lock} title="You may not import" text="Your role may read records, but not create them." />
      ) : draft ? (
        <ColumnsStep draft={draft} resource={resource} />
      ) : (
        <FileStep resource={resource} />
      )}
    </>
  )
}

/** Takes a file that is dropped or chosen, and reads it. */
function FileStep({ resource }: { resource: Resource }) {
  const slug = useSlug()
  const [reading, setReading] = useState<{ name: string; share?: number }>()
  const [problem, setProblem] = useState<string>()
  const [over, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])

  const take = async (file: File | undefined) => {
    if (!file) return
    setProblem(undefined)
    setReading({ name: file.name })
    try {
      const open = await openFile(file, (share) => isShown.current && setReading({ name: file.name, share }))
      const draft = await recognise({ slug, file: open, sheet: 0 }, resource).catch(closing(open))
      if (!isShown.current) return open.close()
      keepDraft(slug, resource.type, draft)
    } catch (error) {
      setProblem(messageOf(error))
    } finally {
      setReading(undefined)
      if (input.current) input.current.value = ''
    }
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void take(event.dataTransfer.files[0])
  }
  return (
    <div className="flex-1 overflow-y-auto p-4 sm:p-8">
      <section
        aria-label="File"
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={classNames(
          'mx-auto grid max-w-150 justify-items-center gap-2 rounded-lg border border-dashed px-6 py-14 text-center',
          over ? 'border-accent bg-accent-soft' : 'border-edge',
        )}
      >
        <FileUp aria-hidden strokeWidth={1.5} className="size-8 text-faint" />
        {reading ? (
          <WorkProgress text={`Reading ${reading.name}`} share={reading.share} />
        ) : (
          <>
            <h2 className="text-base font-medium">Drop a CSV or XLSX file here</h2>
            <p className="max-w-100 text-sm text-quiet">
              The first row has the names of the columns. Nothing is written before you have seen what will happen.
            </p>
            <Button look="primary" className="mt-3" onClick={() => input.current?.click()}>
              Choose a file
            </Button>
          </>
        )}
        <input
          ref={input}
          type="file"
          aria-label="File to import"
          accept=".csv,.tsv,.txt,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
          className="sr-only"
          tabIndex={-1}
          onChange={({ target }) => void take(target.files?.[0])}
        />
      </section>
      <div className="mx-auto mt-4 max-w-150">
        <FormProblem text={problem} />
        <p className="mt-3 text-center text-xs text-faint">
          Up to 1,000,000 rows. Exports from HubSpot, Pipedrive, Salesforce, Attio and Google Contacts are recognised.
        </p>
      </div>
    </div>
  )
}

/** A file that cannot be read is closed. */
function closing(open: { close(): void }): (error: unknown) => never {
  return (error) => {
    open.close()
    throw error
  }
}

/** A file can have 2,000 columns. A page with all of them would be slow. */
const MORE = 50

/** Where each column goes, what happens to existing records, and what the rows look like. */
function ColumnsStep({ draft, resource }: { draft: ImportDraft; resource: Resource }) {
  const slug = useSlug()
  const { type } = resource
  const [most, setMost] = useState(MORE)
  useHeld(true)
  const change = (changed: ImportDraft) => {
    storeChoices(slug, type, changed)
    keepDraft(slug, type, changed)
  }
  const plan = useMemo(
    () => planOf(draft.scanned.header, draft.targets, { resource, country: draft.chosen.country }),
    [draft, resource],
  )
  const checked = useMemo(() => checkDraft(draft, plan, resource), [draft, plan, resource])
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
          <FileLine draft={draft} resource={resource} />
          <section aria-label="Columns" className="mt-6">
            <h2 className="text-sm font-semibold">Columns</h2>
            <ul className="mt-2 divide-y divide-line border-y border-line">
              {shown.map((column) => (
                <ColumnLine
                  key={column.name}
                  draft={draft}
                  resource={resource}
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
          <ImportSettings draft={draft} resource={resource} hasNewOptions={checked.hasNewOptions} onChange={change} />
          <RowPreview plan={plan} checked={checked} draft={draft} resource={resource} />
        </div>
      </div>
      <CheckButton draft={draft} plan={plan} problems={checked.problems} resource={resource} />
    </>
  )
}

const SHOWN = 3

/** A column of the file, some of its values, and where it goes. */
function ColumnLine(props: {
  draft: ImportDraft
  resource: Resource
  column: { name: string; index: number; checked: DraftCheck }
  onTarget(target: string | null): void
}) {
  const {
    draft,
    resource,
    column: { name, index, checked },
    onTarget,
  } = props
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
        <TargetPicker draft={draft} resource={resource} index={index} onTarget={onTarget} />
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

const PREVIEWED = 20

/** The first rows as they will be written, with problems next to the cells. */
function RowPreview(props: { plan: Plan; checked: DraftCheck; draft: ImportDraft; resource: Resource }) {
  const { plan, checked, draft, resource } = props
  const [onlyWrong, setOnlyWrong] = useState(false)
  const columns = plan.columns.flatMap(({ sources }, index) => {
    const target = draft.targets[sources[0] ?? -1]
    return target && plan.targets[index] ? [{ index, label: labelOf(target, resource) }] : []
  })
  const rows = checked.rows.map((row, index) => ({ ...row, row: index + 1 }))
  const wrong = rows.filter(({ problems }) => problems.size > 0)
  const shown = (onlyWrong ? wrong : rows).slice(0, PREVIEWED)
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
