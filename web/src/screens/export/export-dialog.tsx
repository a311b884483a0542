import type { ResourceName } from '@kith/contract/resource'
import { useQueryClient } from '@tanstack/react-query'
import { FileSpreadsheet, FileText } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { messageOf } from '../../api/problems.ts'
import { useSlug } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { FormProblem } from '../../components/form-problem.tsx'
import { showToast } from '../../components/toast-store.ts'
import { formatNumber } from '../../format/numbers.ts'
import { appearances, counted } from '../../resources.ts'
import type { Column } from '../records/columns.ts'
import { includedFields, useListQuery } from '../records/list-query.ts'
import { pageQuery } from '../records/record-window.ts'
import { useTotal } from '../records/total.tsx'
import { downloadList, type FileFormat } from './download-list.ts'

type Props = { resource: ResourceName; columns: readonly Column[]; onClose(): void }

type Run = { format: FileFormat; done: number; total: number }

/** Writes the list on the screen into a file: its columns, its filter, its order. Closing it cancels. */
export function ExportDialog({ resource, columns, onClose }: Props) {
  const slug = useSlug()
  const queries = useQueryClient()
  const [run, setRun] = useState<Run>()
  const [problem, setProblem] = useState<string>()
  const ending = useRef<AbortController>(undefined)
  const { many } = appearances[resource]
  const shown = useListQuery(resource, columns)
  const query = { ...shown, fields: includedFields(resource, columns) }
  const total = useTotal({ resource, query })
  useEffect(() => () => ending.current?.abort(), [])

  const start = async (format: FileFormat) => {
    const abort = new AbortController()
    ending.current = abort
    setProblem(undefined)
    setRun({ format, done: 0, total: total ?? 0 })
    try {
      const first = { ...pageQuery(slug, resource, { query, page: 1 }), retry: false, staleTime: 60_000 }
      const { meta } = await queries.fetchQuery(first)
      const onProgress = (done: number) => setRun({ format, done, total: Math.max(done, meta.total) })
      const { signal } = abort
      const written = await downloadList({ slug, resource, query: shown, columns, format, signal, onProgress })
      showToast({ message: `Exported ${counted(written, resource)}.` })
      onClose()
    } catch (error) {
      if (abort.signal.aborted) return
      setRun(undefined)
      setProblem(messageOf(error))
    }
  }

  const names = columns.map(({ property }) => property.label).join(', ')
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Export ${many.toLowerCase()}`}
      description={
        total === undefined
          ? 'The list as it is shown: its columns, filter and order.'
          : `${counted(total, resource)}, with the columns, the filter and the order of the list.`
      }
    >
      <p className="text-sm text-quiet">
        <span className="text-faint">Columns: </span>
        {names}
      </p>
      {problem !== undefined && (
        <div className="mt-3">
          <FormProblem text={`The export has failed. ${problem}`} />
        </div>
      )}
      {run ? (
        <Running run={run} resource={resource} onCancel={onClose} />
      ) : (
        <DialogActions>
          <Button onClick={() => start('csv')}>
            <FileText aria-hidden />
            CSV
          </Button>
          <Button look="primary" onClick={() => start('xlsx')}>
            <FileSpreadsheet aria-hidden />
            Excel (XLSX)
          </Button>
        </DialogActions>
      )}
    </Dialog>
  )
}

type RunningProps = { run: Run; resource: ResourceName; onCancel(): void }

function Running({ run: { done, total }, resource, onCancel }: RunningProps) {
  const share = total === 0 ? 0 : Math.round((done / total) * 100)
  return (
    <div className="mt-4">
      <div
        role="progressbar"
        aria-label="Exported"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share}
        className="h-1.5 overflow-hidden rounded-full bg-sunk"
      >
        <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${share}%` }} />
      </div>
      <div className="mt-3 flex items-center justify-between gap-2">
        <span data-numeric className="text-sm text-quiet">
          {`${formatNumber(done)} of ${counted(total, resource)}`}
        </span>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </div>
  )
}
