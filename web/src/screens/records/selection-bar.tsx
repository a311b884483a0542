import { MERGE_MAX } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Merge, Trash2, X } from 'lucide-react'
import { useRecordRemoval } from '../../api/record-removal.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { formatNumber } from '../../format/numbers.ts'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { counted } from '../../resources.ts'
import type { ListQuery } from './list-query.ts'
import { PAGE_SIZE, pageQuery } from './record-window.ts'
import type { Selection } from './selection.ts'
import { useTotal } from './total.tsx'

/** So many can be ticked at once; more is for the API. */
const SELECT_MAX = 1000

type Props = { resource: ResourceName; query: ListQuery; selection: Selection }

/** What can be done with the ticked records. Deleting does not ask: it can be undone. */
export function SelectionBar({ resource, query, selection }: Props) {
  const selectAll = useSelectAll({ resource, query, selection })
  const total = Math.min(useTotal({ resource, query }) ?? 0, SELECT_MAX)
  const remove = useRecordRemoval(resource)
  const count = selection.ids.size
  const { slug, role } = useWorkspace()
  const navigate = useNavigate()
  const merge = () =>
    navigate({
      to: '/$workspace/duplicates',
      params: { workspace: slug },
      search: { of: resource, merge: [...selection.ids].join(',') },
    })
  const removeAll = async () => {
    const ids = [...selection.ids]
    selection.clear()
    await remove(ids, counted(ids.length, resource))
  }
  useShortcut('Delete', 'Delete the selected records', count > 0 ? removeAll : undefined)
  if (count === 0) return null
  const all = `${total === SELECT_MAX ? 'the first' : 'all'} ${formatNumber(total)}`
  return (
    <div
      role="toolbar"
      aria-label="Selected records"
      className="float-in fixed bottom-4 left-1/2 z-30 flex h-11 -translate-x-1/2 items-center rounded-lg bg-raised pr-1.5 pl-3 shadow-float sm:gap-2 sm:pl-4"
    >
      <span className="mr-1 text-sm whitespace-nowrap max-sm:hidden">{counted(count, resource)} selected</span>
      <span className="mr-1 text-sm whitespace-nowrap sm:hidden">{formatNumber(count)} selected</span>
      {total > count && (
        <Button look="quiet" onClick={selectAll}>
          <span className="max-sm:hidden">{`Select ${all}`}</span>
          <span className="inline-block sm:hidden first-letter:uppercase">{all}</span>
        </Button>
      )}
      {count > 1 && count <= MERGE_MAX && roleMay(role, 'update') && roleMay(role, 'delete') && (
        <Button look="quiet" onClick={merge}>
          <Merge aria-hidden className="max-sm:hidden" />
          Merge
        </Button>
      )}
      <Button look="quiet-danger" onClick={removeAll}>
        <Trash2 aria-hidden className="max-sm:hidden" />
        Delete
      </Button>
      <IconButton label="Clear the selection" keys="Esc" side="top" onClick={selection.clear}>
        <X />
      </IconButton>
    </div>
  )
}

/** Selects the whole list, not only the visible rows. */
function useSelectAll({ resource, query, selection }: Props): () => Promise<void> {
  const slug = useSlug()
  const queries = useQueryClient()
  return async () => {
    const ids: string[] = []
    for (let page = 1; page <= SELECT_MAX / PAGE_SIZE; page++) {
      const { data, meta } = await queries.fetchQuery(pageQuery(slug, resource, { query, page }))
      ids.push(...data.map(({ id }) => id))
      if (page >= meta.last_page) break
    }
    selection.set(ids)
  }
}
