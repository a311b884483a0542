import type { ResourceName } from '@kith/contract/resource'
import { Suspense, useState } from 'react'
import { useApiAddress } from '../../api/public-address.ts'
import { chunk } from '../../components/chunk.tsx'
import { appearances } from '../../resources.ts'
import { BoardOptions } from '../board/board-options.tsx'
import { LayoutSwitch } from '../board/layout-switch.tsx'
import { UseInApi } from '../use-in-api/use-in-api.tsx'
import type { Column } from './columns.ts'
import { ColumnsButton } from './columns-button.tsx'
import { FilterButton } from './filter/filter-button.tsx'
import { GroupButton } from './groups/group-button.tsx'
import { useListQuery, useRelativeFilter } from './list-query.ts'
import { useListState } from './list-state.ts'
import { SearchBox } from './search-box.tsx'
import { SortButton } from './sort-button.tsx'
import { ViewMenu } from './view-menu.tsx'

// Most lists have no filter.
const FilterChips = chunk(async () => (await import('./filter/filter-chips.tsx')).FilterChips)

type Props = { resource: ResourceName; columns: readonly Column[]; onColumns(columns: readonly Column[]): void }

/** The line above a list: which view, which records, which columns, and how to ask the API for them. */
export function Toolbar({ resource, columns, onColumns }: Props) {
  const { many } = appearances[resource]
  const [state, change] = useListState()
  const asked = useListQuery(resource, columns)
  const relative = useRelativeFilter(resource)
  const api = useApiAddress()
  const [filtering, setFiltering] = useState(false)
  const isTable = state.layout === undefined || state.layout === 'table'
  return (
    <>
      <div
        role="toolbar"
        aria-label="List"
        // Labels for screen readers are placed absolutely. Without this they would widen the page.
        className="relative flex h-11 shrink-0 items-center gap-1 overflow-x-auto border-b border-line px-3 [scrollbar-width:none] md:px-4"
      >
        <ViewMenu resource={resource} columns={columns} />
        <SearchBox label={`Search ${many.toLowerCase()}`} />
        <FilterButton resource={resource} open={filtering} onOpenChange={setFiltering} />
        {state.layout !== 'calendar' && <SortButton resource={resource} />}
        {isTable && <GroupButton resource={resource} />}
        <span className="flex-1" />
        <LayoutSwitch resource={resource} />
        {state.layout === 'board' && <BoardOptions resource={resource} />}
        {isTable && <ColumnsButton resource={resource} columns={columns} onColumns={onColumns} />}
        <UseInApi
          description={`The calls that answer with these ${many.toLowerCase()}.`}
          relative={relative}
          calls={async () => {
            const { callsOfList } = await import('../use-in-api/calls-of-list.ts')
            return callsOfList(api, resource, asked)
          }}
        />
      </div>
      {state.filter && (
        <Suspense>
          <FilterChips
            resource={resource}
            filter={state.filter}
            onFilter={(filter) => change({ filter })}
            onEdit={() => setFiltering(true)}
          />
        </Suspense>
      )}
    </>
  )
}
