import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { X } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import type { FilterObject } from '../list-state.ts'
import { NodeWords } from './filter-words.tsx'
import { readFilter } from './read-filter.ts'
import { writeFilter } from './write-filter.ts'

type Props = {
  resource: ResourceName
  filter: FilterObject
  onFilter(filter: FilterObject | undefined): void
  /** Opens the builder. */
  onEdit(): void
}

/** The conditions of a filter, one chip each. A click opens the builder, the cross removes the condition. */
export function FilterChips({ resource, filter, onFilter, onEdit }: Props) {
  const tree = readFilter(filter, registry[resource])
  const parts = tree.mode === 'all' ? tree.children : [tree]
  const without = (place: number) => writeFilter({ ...tree, mode: 'all', children: parts.toSpliced(place, 1) })
  return (
    <ul
      aria-label="Active filters"
      className="flex max-h-24 shrink-0 flex-wrap items-center gap-1.5 overflow-y-auto border-b border-line px-3 py-1.5 md:px-4"
    >
      {parts.map((part, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no identity but their place
        <li key={place} className="flex h-7 max-w-full min-w-0 items-center rounded-md border border-line text-xs">
          <button
            type="button"
            onClick={onEdit}
            className="h-full min-w-0 truncate rounded-l-md pr-1 pl-2 hover:bg-hover sm:max-w-100"
          >
            <NodeWords node={part} resource={registry[resource]} />
          </button>
          <button
            type="button"
            aria-label="Remove this filter"
            onClick={() => onFilter(without(place))}
            className="grid h-full w-6 shrink-0 place-items-center rounded-r-md text-faint hover:bg-hover hover:text-ink"
          >
            <X aria-hidden className="size-3.5" />
          </button>
        </li>
      ))}
      {parts.length > 1 && (
        <li>
          <Button size="small" look="quiet" onClick={() => onFilter(undefined)}>
            Clear all
          </Button>
        </li>
      )}
    </ul>
  )
}
