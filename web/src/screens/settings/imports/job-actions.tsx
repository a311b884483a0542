import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Download, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { cancelJob, failedRowsFile, hasEnded, type Job, runJob, undoJob } from '../../../api/jobs.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Confirm } from '../../../components/confirm.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { formatMoment } from '../../../format/moments.ts'
import { formatNumber } from '../../../format/numbers.ts'
import { appearances } from '../../../resources.ts'
import { draftFor } from '../../import/draft-store.ts'

/** What can be done about a job: run a check for real, cancel it, undo it, take its failed rows. */
export function JobActions({ job }: { job: Job }) {
  const slug = useSlug()
  const { resource, type, dry_run, state, progress } = job.attributes
  const open = useOpenJob()
  const running = useMutation({ mutationFn: () => runJob(slug, job.id), onSuccess: open, onError: tell })
  const cancelling = useMutation({ mutationFn: () => cancelJob(slug, job.id), onSuccess: open, onError: tell })
  const good = progress.created + progress.updated + progress.unchanged
  return (
    <div className="flex flex-wrap gap-2">
      {dry_run && draftFor(slug, resource) && (
        <Link to="/$workspace/$resource/import" params={{ workspace: slug, resource }} className={link}>
          Back to the columns
        </Link>
      )}
      {!hasEnded(job) && (
        <Button disabled={cancelling.isPending} onClick={() => cancelling.mutate()}>
          Cancel
        </Button>
      )}
      {hasEnded(job) && progress.failed > 0 && type === 'import' && (
        <a
          href={failedRowsFile(slug, job.id)}
          download={`problems-${job.attributes.name ?? resource}.csv`}
          className={link}
        >
          <Download aria-hidden className="size-4" />
          Rows with problems
        </a>
      )}
      {dry_run && state === 'done' && good > 0 && (
        <Button look="primary" disabled={running.isPending} onClick={() => running.mutate()}>
          Import {formatNumber(good)} {good === 1 ? 'row' : 'rows'}
        </Button>
      )}
      <UndoButton job={job} />
      {hasEnded(job) && !dry_run && (
        <Link to="/$workspace/$resource" params={{ workspace: slug, resource }} className={link}>
          Open {appearances[resource].many.toLowerCase()}
        </Link>
      )}
    </div>
  )
}

const link = 'inline-flex h-8 items-center gap-1.5 rounded-md border border-edge px-3 text-sm hover:bg-hover'

/** Undo cannot be undone, so it asks. */
function UndoButton({ job }: { job: Job }) {
  const slug = useSlug()
  const open = useOpenJob()
  const [asking, setAsking] = useState(false)
  const undoing = useMutation({ mutationFn: () => undoJob(slug, job.id), onSuccess: open, onError: tell })
  const { undoable_until, resource, progress } = job.attributes
  if (undoable_until === null || Date.parse(undoable_until) < Date.now()) return null
  const many = appearances[resource].many.toLowerCase()
  return (
    <>
      <Button
        disabled={undoing.isPending}
        title={`Until ${formatMoment(undoable_until)}`}
        onClick={() => setAsking(true)}
      >
        <Undo2 aria-hidden />
        Undo import
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title="Undo this import?"
        action="Undo import"
        onConfirm={() => undoing.mutate()}
      >
        {progress.created > 0 && `The ${formatNumber(progress.created)} ${many} that it created are deleted. `}
        {progress.updated > 0 && `The ${formatNumber(progress.updated)} that it changed get their earlier values. `}
        What was changed since then stays as it is.
      </Confirm>
    </>
  )
}

/** Opens the page of a job, which may be a new one. */
function useOpenJob(): (job: Job) => Promise<void> {
  const slug = useSlug()
  const navigate = useNavigate()
  const queries = useQueryClient()
  return async ({ id }) => {
    await queries.invalidateQueries({ queryKey: [slug, 'jobs'] })
    await navigate({
      to: '/$workspace/settings/$page',
      params: { workspace: slug, page: 'imports' },
      search: { job: id },
    })
  }
}

function tell({ message }: Error): void {
  showToast({ tone: 'danger', message })
}
