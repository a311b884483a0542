import { X } from 'lucide-react'
import { type BulkJob, cancelBulk, closeBulk, continueBulk, undoBulk } from '../api/bulk.ts'
import { Button, IconButton } from '../components/button.tsx'
import { classNames } from '../components/class-names.ts'
import { formatNumber } from '../format/numbers.ts'
import { counted } from '../resources.ts'

/** The progress and the result of a change of many records. It stays until it is dismissed. */
export function BulkPanel({ job }: { job: BulkJob }) {
  const isRunning = job.state === 'running' || job.state === 'waiting'
  const mayUndo = !isRunning && !job.isUndo && job.changed > 0
  return (
    <section
      aria-label="Change of many records"
      className="float-in fixed right-3 bottom-3 left-3 z-40 rounded-lg bg-raised py-2 pr-2 pl-4 text-sm shadow-float sm:left-auto sm:w-100"
    >
      <div className="flex min-h-8 items-center gap-2">
        <p role="status" className="min-w-0 flex-1 wrap-anywhere">
          {titleOf(job)}
        </p>
        {isRunning && (
          <Button look="quiet" onClick={cancelBulk}>
            Cancel
          </Button>
        )}
        {job.state === 'stopped' && (
          <Button look="quiet" onClick={continueBulk}>
            Try again
          </Button>
        )}
        {mayUndo && (
          <Button look="quiet" className="text-accent!" onClick={undoBulk}>
            Undo all
          </Button>
        )}
        {!isRunning && (
          <IconButton label="Dismiss" side="top" onClick={closeBulk}>
            <X />
          </IconButton>
        )}
      </div>
      {isRunning && (
        <progress
          aria-label="Progress"
          className="bulk-progress mt-1 mb-2 block h-1 w-[calc(100%-8px)]"
          {...(job.total === undefined ? {} : { value: job.done, max: Math.max(1, job.total) })}
        />
      )}
      <Notes job={job} />
    </section>
  )
}

function Notes({ job }: { job: BulkJob }) {
  const notes = notesOf(job)
  if (notes.length === 0) return null
  const isBad = job.failed > 0 || job.state === 'stopped'
  return (
    <p className={classNames('pr-2 pb-1 text-xs wrap-anywhere', isBad ? 'text-danger' : 'text-quiet')}>
      {notes.join(' ')}
    </p>
  )
}

function titleOf(job: BulkJob): string {
  const { state, total, done, changed, words } = job
  const { doing, did } = verbsOf(job)
  if (state === 'done') return `${did} ${counted(changed, words)}`
  if (state === 'cancelled') return `Cancelled. ${did} ${counted(changed, words)}`
  if (state === 'stopped') return `Stopped. ${did} ${counted(changed, words)}`
  if (total === undefined) return `${doing}: finding the records …`
  return `${doing} ${formatNumber(done)} of ${counted(total, words)}`
}

function verbsOf({ action, isUndo }: BulkJob): { doing: string; did: string } {
  if (action.kind === 'delete') {
    return isUndo ? { doing: 'Restoring', did: 'Restored' } : { doing: 'Deleting', did: 'Deleted' }
  }
  if (action.kind === 'create') {
    return isUndo ? { doing: 'Deleting', did: 'Deleted' } : { doing: 'Creating', did: 'Created' }
  }
  return isUndo ? { doing: 'Undoing', did: 'Undone for' } : { doing: 'Changing', did: 'Changed' }
}

function notesOf(job: BulkJob): string[] {
  const { state, done, changed, skipped, failed, message, isUndo, words } = job
  if (state === 'waiting') return ['The service does not answer. Trying again; nothing is lost.']
  const same = done - changed - skipped - failed
  const isCreation = job.action.kind === 'create'
  const left = isUndo ? 'changed since, and left as they are.' : 'deleted or no longer in the list, and left out.'
  const stopped = state === 'stopped' && message !== undefined
  return [
    ...(stopped ? [message] : []),
    ...(same > 0 && state !== 'running' && !isUndo ? [`${formatNumber(same)} had this value already.`] : []),
    ...(skipped > 0 ? [`${formatNumber(skipped)} were ${left}`] : []),
    ...(failed > 0
      ? [
          `${counted(failed, words)} could not be ${isCreation ? 'created' : 'changed'}${!stopped && message ? `: ${message}` : '.'}`,
        ]
      : []),
  ]
}
