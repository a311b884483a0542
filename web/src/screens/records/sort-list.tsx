import { SORT_KEYS_MAX } from '@kith/contract/limits'
import type { ResourceName } from '@kith/contract/resource'
import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { Select } from '../../components/select.tsx'
import { SortableList } from '../../components/sortable-list.tsx'
import { useProperties } from '../../properties/property.ts'
import { sortNameOf } from '../../properties/property-view.ts'
import { useListState } from './list-state.ts'
import { type SortKey, sortKeysIn, sortText } from './sorting.ts'

/** The keys of the order, the first one first. Records that are equal by one key are sorted by the next. */
export function SortList({ resource }: { resource: ResourceName }) {
  const [{ sort }, change] = useListState()
  const keys = sortKeysIn(sort)
  const names = useProperties(resource).flatMap((property) => {
    const name = sortNameOf(property)
    return name === undefined ? [] : [{ value: name, label: property.label }]
  })
  const set = (next: readonly SortKey[]) => change({ sort: sortText(next) })
  const replace = (key: SortKey, next: Partial<SortKey>) =>
    set(keys.map((one) => (one.name === key.name ? { ...one, ...next } : one)))
  const unused = names.filter(({ value }) => !keys.some(({ name }) => name === value))
  const labelOf = (key: SortKey) => names.find(({ value }) => value === key.name)?.label ?? key.name
  return (
    <div className="grid gap-2">
      {keys.length === 0 && <p className="text-sm text-quiet">The newest come first.</p>}
      <SortableList
        label="Sort keys"
        items={keys}
        idOf={({ name }) => name}
        nameOf={labelOf}
        onOrder={set}
        className="gap-1.5 py-0.5"
      >
        {(key) => (
          <>
            <div className="min-w-0 flex-1">
              <Select
                label="Sort by"
                value={key.name}
                onValueChange={(name) => replace(key, { name })}
                choices={names.filter(({ value }) => value === key.name || unused.some((one) => one.value === value))}
              />
            </div>
            <div className="w-32 shrink-0">
              <Select
                label={`Direction of ${labelOf(key)}`}
                value={key.descending ? 'descending' : 'ascending'}
                onValueChange={(direction) => replace(key, { descending: direction === 'descending' })}
                choices={directions}
              />
            </div>
            <IconButton
              label={`Do not sort by ${labelOf(key)}`}
              onClick={() => set(keys.filter(({ name }) => name !== key.name))}
            >
              <X />
            </IconButton>
          </>
        )}
      </SortableList>
      <div className="flex gap-1">
        <Button
          size="small"
          look="quiet"
          disabled={unused.length === 0 || keys.length >= SORT_KEYS_MAX}
          onClick={() => set([...keys, { name: unused[0]?.value ?? '', descending: false }])}
        >
          <Plus aria-hidden />
          {keys.length === 0 ? 'Sort by' : 'Then by'}
        </Button>
        <span className="flex-1" />
        {keys.length > 0 && (
          <Button size="small" look="quiet" onClick={() => set([])}>
            Clear
          </Button>
        )}
      </div>
    </div>
  )
}

const directions = [
  { value: 'ascending', label: 'Ascending' },
  { value: 'descending', label: 'Descending' },
]
