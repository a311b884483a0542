import type { ResourceName } from '@kith/contract/resource'
import { useApiAddress } from '../../api/public-address.ts'
import { appearances } from '../../resources.ts'
import { LayoutSwitch } from '../board/layout-switch.tsx'
import { exportCalls } from '../use-in-api/export-calls.ts'
import { followCalls } from '../use-in-api/follow-calls.ts'
import { listCalls } from '../use-in-api/list-calls.ts'
import { UseInApi } from '../use-in-api/use-in-api.tsx'
import { webhookCalls } from '../use-in-api/webhook-calls.ts'
import type { Column } from './columns.ts'
import { ColumnsButton } from './columns-button.tsx'
import { FilterButton } from './filter/filter-button.tsx'
import { GroupButton } from './groups/group-button.tsx'
import { useListQuery, useRelativeFilter } from './list-query.ts'
import { useListState } from './list-state.ts'
import { PAGE_SIZE } from './record-window.ts'
import { SearchBox } from './search-box.tsx'
import { SortButton } from './sort-button.tsx'
import { ViewMenu } from './view-menu.tsx'

type Props = { resource: ResourceName; columns: readonly Column[]; onColumns(columns: readonly Column[]): void }

/** The line above a list: which view, which records, which columns, and how to ask the API for them. */
export function Toolbar({ resource, columns, onColumns }: Props) {
  const { many } = appearances[resource]
  const [state] = useListState()
  const asked = useListQuery(resource, columns)
  const relative = useRelativeFilter(resource)
  const api = useApiAddress()
  return (
    <div
      role="toolbar"
      aria-label="List"
      className="flex h-11 shrink-0 items-center gap-1 overflow-x-auto border-b border-line px-3 [scrollbar-width:none] md:px-4"
    >
      <ViewMenu resource={resource} columns={columns} />
      <SearchBox label={`Search ${many.toLowerCase()}`} />
      <FilterButton resource={resource} />
      <SortButton resource={resource} />
      {state.layout !== 'board' && <GroupButton resource={resource} />}
      <span className="flex-1" />
      <LayoutSwitch resource={resource} />
      {state.layout !== 'board' && <ColumnsButton resource={resource} columns={columns} onColumns={onColumns} />}
      <UseInApi
        description={`The calls that answer with these ${many.toLowerCase()}.`}
        relative={relative}
        calls={() => [
          ...listCalls(api, resource, { per_page: PAGE_SIZE, ...asked }),
          ...exportCalls(api, resource, asked),
          ...followCalls(api, resource, asked),
          ...webhookCalls(api, resource, asked),
        ]}
      />
    </div>
  )
}
