import type { ResourceName } from '@kith/contract/resource'
import { Trash2, X } from 'lucide-react'
import { useRecordRemoval } from '../../api/record-removal.ts'
import { Button } from '../../components/button.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { counted } from '../../resources.ts'
import type { Selection } from './selection.ts'

/** What can be done with the ticked records. Deleting does not ask: it can be undone. */
export function SelectionBar({ resource, selection }: { resource: ResourceName; selection: Selection }) {
  const remove = useRecordRemoval(resource)
  const count = selection.ids.size
  const removeAll = async () => {
    const ids = [...selection.ids]
    selection.clear()
    await remove(ids, counted(ids.length, resource))
  }
  useShortcut('Delete', 'Delete the selected records', removeAll, count > 0)
  if (count === 0) return null
  return (
    <div
      role="toolbar"
      aria-label="Selected records"
      className="float-in fixed bottom-4 left-1/2 z-30 flex h-11 -translate-x-1/2 items-center gap-2 rounded-lg bg-raised pr-1.5 pl-4 shadow-float"
    >
      <span className="text-sm whitespace-nowrap">{counted(count, resource)} selected</span>
      <Button look="quiet" className="text-danger hover:text-danger" onClick={removeAll}>
        <Trash2 aria-hidden />
        Delete
      </Button>
      <IconButton label="Clear the selection" keys="Esc" side="top" onClick={selection.clear}>
        <X />
      </IconButton>
    </div>
  )
}
