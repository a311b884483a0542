import { roleMay } from '@kith/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { changesOfToken, type UndoResults, undoChanges } from '../../../api/undo.ts'
import { useWorkspace } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { Select } from '../../../components/select.tsx'
import { ErrorState, Skeleton } from '../../../components/states.tsx'
import { formatCount } from '../../../format/numbers.ts'
import { useAction } from '../../../forms/save.ts'

/** Undoes what a token or a connection has changed. Not for those who may not delete: what it created would stay. */
export function UndoChanges({ token, name }: { token: string; name: string }) {
  const { role } = useWorkspace()
  const [open, setOpen] = useState(false)
  if (!roleMay(role, 'update') || !roleMay(role, 'delete')) return null
  return (
    <>
      <Button size="small" aria-label={`Undo changes of ${name}`} onClick={() => setOpen(true)}>
        Undo all
      </Button>
      {open && <UndoDialog token={token} name={name} onClose={() => setOpen(false)} />}
    </>
  )
}

const periods = [
  { value: '1', label: 'Last hour' },
  { value: '24', label: 'Last 24 hours' },
  { value: '168', label: 'Last 7 days' },
  { value: '720', label: 'Last 30 days' },
]

function UndoDialog({ token, name, onClose }: { token: string; name: string; onClose(): void }) {
  const { slug } = useWorkspace()
  const [hours, setHours] = useState('1')
  const { data: found, error, refetch } = useQuery(changesOfToken(slug, token, Number(hours)))
  const ids = found?.data.filter(({ status }) => status < 300).map(({ id }) => id) ?? []
  const undoing = useAction(() => undoChanges(slug, ids), {
    message: ({ meta }) => `Undid ${formatCount(meta.succeeded, 'change')} of ${name}`,
    // All lists, because the changes may belong to any record.
    reload: [[slug]],
    next: onClose,
  })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Undo changes of ${name}`}
      description="Records that it created are deleted, and values that it changed get their earlier ones. What was changed again since then stays as it is."
    >
      <Select label="Period" value={hours} onValueChange={setHours} choices={periods} className="w-full" />
      <div className="mt-4 min-h-10 text-sm" role="status">
        {error && <ErrorState error={error} onRetry={refetch} />}
        {!found && !error && <Skeleton className="w-2/3" />}
        {found && <Outcome found={found} />}
      </div>
      <DialogActions>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button look="danger" disabled={ids.length === 0 || undoing.isPending} onClick={() => undoing.mutate()}>
          Undo all
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** What would happen, found out by a dry run. */
function Outcome({ found: { meta } }: { found: UndoResults }) {
  if (meta.total === 0) return <p className="text-quiet">It changed nothing in this time.</p>
  return (
    <>
      <p>{formatCount(meta.succeeded, 'change')} can be undone.</p>
      {meta.failed > 0 && (
        <p className="mt-1 text-quiet">
          {formatCount(meta.failed, 'change')} cannot: something was changed again or deleted since then.
        </p>
      )}
    </>
  )
}
