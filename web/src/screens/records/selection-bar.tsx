import { MERGE_MAX, RESTORE_DAYS } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { useNavigate } from '@tanstack/react-router'
import { Merge, Pencil, Trash2, X } from 'lucide-react'
import { Suspense, useState } from 'react'
import { type BulkRecords, isBulkRunning, startBulk } from '../../api/bulk.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { showToast } from '../../components/toast-store.ts'
import { formatNumber } from '../../format/numbers.ts'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { counted, useAppearance } from '../../resources.ts'
import type { ListQuery } from './list-query.ts'
import type { Selection } from './selection.ts'
import { useTotal } from './total.tsx'

const BulkEditDialog = chunk(async () => (await import('../bulk/bulk-edit-dialog.tsx')).BulkEditDialog)

/** So many are deleted without asking: that can be undone. */
const UNASKED_MAX = 100

/** What can be done with the ticked records. */
export function SelectionBar(props: { resource: ResourceName; query: ListQuery; selection: Selection }) {
  const { resource, query, selection } = props
  const words = useAppearance(resource)
  const total = useTotal({ resource, query }) ?? 0
  const count = selection.count(total)
  const { slug, role } = useWorkspace()
  const [open, setOpen] = useState<'edit' | 'delete' | undefined>()
  const navigate = useNavigate()
  const { ids, matching } = selection
  const records: BulkRecords = matching ? { filter: query.filter, except: ids } : { ids: [...ids] }
  const merge = () =>
    navigate({
      to: '/$workspace/duplicates',
      params: { workspace: slug },
      search: { of: resource, merge: [...ids].join(',') },
    })
  const removeAll = () => {
    startBulk({ slug, resource, words, action: { kind: 'delete' }, records })
    selection.clear()
  }
  const begin = (wanted: 'edit' | 'delete') => {
    if (isBulkRunning()) showToast({ message: 'Another change of many records is still running.' })
    else if (wanted === 'delete' && !matching && count <= UNASKED_MAX) removeAll()
    else setOpen(wanted)
  }
  const mayEdit = roleMay(role, 'update')
  const mayDelete = roleMay(role, 'delete')
  useShortcut('Delete', 'Delete the selected records', count > 0 && mayDelete ? () => begin('delete') : undefined)
  useShortcut('e', 'Edit the selected records', count > 0 && mayEdit ? () => begin('edit') : undefined)
  useShortcut('Escape', 'Clear the selection', count > 0 ? selection.clear : undefined)
  if (count === 0) return null
  const all = `all ${formatNumber(total)}`
  return (
    <>
      <div
        role="toolbar"
        aria-label="Selected records"
        className="float-in fixed bottom-4 left-1/2 z-30 flex h-11 -translate-x-1/2 items-center rounded-lg bg-raised pr-1.5 pl-3 shadow-float sm:gap-2 sm:pl-4"
      >
        <span className="mr-1 text-sm whitespace-nowrap max-sm:hidden">{counted(count, words)} selected</span>
        <span className="mr-1 text-sm whitespace-nowrap sm:hidden">{formatNumber(count)}</span>
        {total > count && (
          <Button look="quiet" className="max-sm:px-2" onClick={selection.all}>
            <span className="max-sm:hidden">{`Select ${all}`}</span>
            <span className="inline-block sm:hidden first-letter:uppercase">{all}</span>
          </Button>
        )}
        {mayEdit && (
          <Button look="quiet" className="max-sm:px-2" onClick={() => begin('edit')}>
            <Pencil aria-hidden className="max-sm:hidden" />
            Edit
          </Button>
        )}
        {!matching && count > 1 && count <= MERGE_MAX && mayEdit && mayDelete && (
          <Button look="quiet" className="max-sm:px-2" onClick={merge}>
            <Merge aria-hidden className="max-sm:hidden" />
            Merge
          </Button>
        )}
        {mayDelete && (
          <Button look="quiet-danger" className="max-sm:px-2" onClick={() => begin('delete')}>
            <Trash2 aria-hidden className="max-sm:hidden" />
            Delete
          </Button>
        )}
        <IconButton label="Clear the selection" keys="Esc" side="top" onClick={selection.clear}>
          <X />
        </IconButton>
      </div>
      {open === 'edit' && (
        <Suspense>
          <BulkEditDialog
            resource={resource}
            records={records}
            count={count}
            onClose={() => setOpen(undefined)}
            onStart={() => {
              setOpen(undefined)
              selection.clear()
            }}
          />
        </Suspense>
      )}
      <Confirm
        open={open === 'delete'}
        onOpenChange={() => setOpen(undefined)}
        title={`Delete ${counted(count, words)}?`}
        action={`Delete ${formatNumber(count)}`}
        onConfirm={removeAll}
      >
        They stay in the trash for {RESTORE_DAYS} days and can be restored.
      </Confirm>
    </>
  )
}
