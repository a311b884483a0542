import type { View } from '@kith/contract/app/views'
import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  ArrowUpDown,
  Bookmark,
  ChartColumn,
  ChevronDown,
  Columns3,
  Download,
  Pencil,
  Plus,
  Search,
  Trash2,
  Upload,
  UsersRound,
  X,
} from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { messageOf } from '../../api/problems.ts'
import { useResource } from '../../api/schema.ts'
import { sessionQuery, useApiAddress } from '../../api/session.ts'
import { deleteView, updateView, type ViewInput, viewsQuery } from '../../api/views.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { inputLook } from '../../components/controls.tsx'
import { Menu, MenuContent, MenuItem, MenuLabel, MenuLine, MenuTrigger } from '../../components/menu.tsx'
import { Popover, PopoverContent, PopoverTrigger } from '../../components/popover.tsx'
import { Skeleton } from '../../components/states.tsx'
import { showToast } from '../../components/toast-store.ts'
import { useShortcut } from '../../keyboard/shortcuts.ts'
import { appearanceOf, useAppearance } from '../../resources.ts'
import { BoardOptions, LayoutSwitch } from '../board/layout-switch.tsx'
import { UseInApi } from '../use-in-api/use-in-api.tsx'
import type { Column } from './columns.ts'
import type { ColumnsProps } from './columns-list.tsx'
import { FilterButton } from './filter/filter-popover.tsx'
import { GroupButton } from './groups/group-button.tsx'
import { useListQuery, useRelativeFilter } from './list-query.ts'
import { parseListState, useListState, useOpenView, useViews, viewStateOf } from './list-state.ts'
import { sortKeysIn } from './sorting.ts'

// Most lists have no filter.
const FilterChips = chunk(async () => (await import('./filter/filter-chips.tsx')).FilterChips)

/** The line above a list: which view, which records, which columns, and how to ask the API for them. */
export function Toolbar(props: {
  resource: ResourceName
  columns: readonly Column[]
  onColumns(columns: readonly Column[]): void
}) {
  const { resource, columns, onColumns } = props
  const definition = useResource(resource)
  const { many } = appearanceOf(definition)
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
        className="relative flex min-h-11 shrink-0 items-center gap-1 overflow-x-auto border-b border-line px-3 [scrollbar-width:none] max-md:flex-wrap max-md:gap-y-0 max-md:py-1 md:px-4"
      >
        <ViewMenu resource={resource} columns={columns} />
        <SearchBox label={`Search ${many}`} />
        <FilterButton resource={resource} open={filtering} onOpenChange={setFiltering} />
        {state.layout !== 'calendar' && <SortButton resource={resource} />}
        {isTable && <GroupButton resource={resource} />}
        <span className="flex-1" />
        <LayoutSwitch resource={resource} />
        {state.layout === 'board' && <BoardOptions resource={resource} />}
        {isTable && <ColumnsButton resource={resource} columns={columns} onColumns={onColumns} />}
        <UseInApi
          description={`The calls that answer with these ${many}.`}
          relative={relative}
          calls={async () => {
            const { callsOfList } = await import('../use-in-api/calls-of-list.ts')
            return callsOfList(api, definition, asked)
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

const ColumnsList = chunk(async () => (await import('./columns-list.tsx')).ColumnsList)

/** Opens the choice of columns. */
function ColumnsButton(props: ColumnsProps) {
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button look="quiet">
          <Columns3 aria-hidden />
          <span className="max-md:sr-only">Columns</span>
        </Button>
      </PopoverTrigger>
      <PopoverContent aria-label="Columns" className="w-68 p-1.5">
        <Suspense fallback={<Skeleton className="m-2 w-40" />}>
          <ColumnsList {...props} />
        </Suspense>
      </PopoverContent>
    </Popover>
  )
}

const SortList = chunk(async () => (await import('./sort-list.tsx')).SortList)

/** Opens the order of the list, and says by how many keys it is sorted. */
function SortButton({ resource }: { resource: ResourceName }) {
  const [{ sort }] = useListState()
  const { length } = sortKeysIn(sort)
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button look="quiet" active={length > 0}>
          <ArrowUpDown aria-hidden />
          <span className="max-lg:sr-only">Sort</span>
          {length > 0 && (
            <span className="rounded-sm bg-accent px-1 text-xs font-medium text-on-accent tabular-nums">{length}</span>
          )}
        </Button>
      </PopoverTrigger>
      <PopoverContent aria-label="Sort" className="w-100 p-3">
        <Suspense fallback={<Skeleton className="m-2 w-40" />}>
          <SortList resource={resource} />
        </Suspense>
      </PopoverContent>
    </Popover>
  )
}

const PAUSE_MS = 180

/** The quick search of a list. Typing never waits: the list follows when there is a pause. */
function SearchBox({ label }: { label: string }) {
  const [{ q = '' }, change] = useListState()
  const [typed, setTyped] = useState(q)
  const input = useRef<HTMLInputElement>(null)
  useShortcut('/', label, () => input.current?.focus())
  useEffect(() => setTyped(q), [q])
  useEffect(() => {
    if (typed === q) return
    const timer = setTimeout(() => change({ q: typed }), PAUSE_MS)
    return () => clearTimeout(timer)
  })
  return (
    <div className="relative w-44 min-w-28 shrink sm:w-56">
      <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-faint" />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder="Search"
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          setTyped('')
          input.current?.blur()
        }}
        className={`${inputLook} pl-8 [&::-webkit-search-cancel-button]:hidden`}
      />
      {typed !== '' && (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={() => setTyped('')}
          className="absolute top-1.5 right-1.5 grid size-5 place-items-center rounded-sm text-faint hover:bg-hover"
        >
          <X aria-hidden className="size-3.5" />
        </button>
      )}
    </div>
  )
}

const ExportDialog = chunk(async () => (await import('../export/export-dialog.tsx')).ExportDialog)

const AddToReport = chunk(async () => (await import('../reports/add-to-report.tsx')).AddToReport)

const ViewDialog = chunk(async () => (await import('./view-dialog.tsx')).ViewDialog)

/** The views of a list: opens, saves, changes and deletes them, exports the list, and imports into it. */
function ViewMenu({ resource, columns }: { resource: ResourceName; columns: readonly Column[] }) {
  const slug = useSlug()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [state] = useListState()
  const [dialog, setDialog] = useState<'new' | 'rename' | 'export' | 'report'>()
  const views = useViews(resource)
  const current = useOpenView(resource)
  const mayChange = useMayChange(current)
  const mayImport = roleMay(useWorkspace().role, 'create')
  const changed = current !== undefined && !isSame(viewStateOf(state), viewStateOf(parseListState(current.state)))
  const { many } = useAppearance(resource)
  const title = current?.name ?? `All ${many}`
  const open = (view: View | undefined) =>
    navigate({
      to: '/$workspace/$resource',
      params: { workspace: slug, resource },
      search: view ? { ...parseListState(view.state), view: view.id } : {},
    })
  const change = async (input: Partial<ViewInput>) => {
    if (!current) return
    await updateView(slug, current.id, input).catch(tell)
    await queries.invalidateQueries(viewsQuery(slug))
  }
  const remove = async () => {
    if (!current) return
    try {
      await deleteView(slug, current.id)
      await open(undefined)
    } catch (error) {
      tell(error)
    }
    await queries.invalidateQueries(viewsQuery(slug))
  }
  return (
    <>
      <Menu>
        <MenuTrigger asChild>
          <Button look="quiet" aria-label={`Views: ${title}`} className="min-w-0 shrink px-2">
            <Bookmark aria-hidden />
            <span className="max-w-40 truncate max-sm:sr-only">{title}</span>
            <ChevronDown aria-hidden className="text-faint" />
          </Button>
        </MenuTrigger>
        <MenuContent className="w-60">
          <MenuItem onSelect={() => open(undefined)}>All {many}</MenuItem>
          {views.length > 0 && <MenuLabel>Views</MenuLabel>}
          {views.map((view) => (
            <MenuItem key={view.id} icon={view.shared ? <UsersRound /> : <Bookmark />} onSelect={() => open(view)}>
              {view.name}
            </MenuItem>
          ))}
          <MenuLine />
          <MenuItem icon={<Plus />} onSelect={() => setDialog('new')}>
            Save as a new view
          </MenuItem>
          {current && mayChange && (
            <>
              <MenuItem icon={<Pencil />} onSelect={() => setDialog('rename')}>
                Rename or share
              </MenuItem>
              <MenuItem icon={<Trash2 />} danger onSelect={remove}>
                Delete the view
              </MenuItem>
            </>
          )}
          <MenuLine />
          <MenuItem icon={<Download />} onSelect={() => setDialog('export')}>
            Export this list
          </MenuItem>
          <MenuItem icon={<ChartColumn />} onSelect={() => setDialog('report')}>
            Add to report
          </MenuItem>
          {mayImport && (
            <MenuItem
              icon={<Upload />}
              onSelect={() => navigate({ to: '/$workspace/$resource/import', params: { workspace: slug, resource } })}
            >
              Import {many}
            </MenuItem>
          )}
        </MenuContent>
      </Menu>
      {changed && mayChange && (
        <Button look="quiet" className="text-accent" onClick={() => change({ state: viewStateOf(state) })}>
          Save changes
        </Button>
      )}
      {dialog === 'report' && (
        <Suspense>
          <AddToReport resource={resource} onClose={() => setDialog(undefined)} />
        </Suspense>
      )}
      {dialog === 'export' && (
        <Suspense>
          <ExportDialog resource={resource} columns={columns} onClose={() => setDialog(undefined)} />
        </Suspense>
      )}
      {(dialog === 'new' || dialog === 'rename') && (
        <Suspense>
          <ViewDialog
            resource={resource}
            view={dialog === 'rename' ? current : undefined}
            onClose={() => setDialog(undefined)}
            onSaved={(view) => {
              setDialog(undefined)
              queries.invalidateQueries(viewsQuery(slug))
              if (dialog === 'new') open(view)
            }}
          />
        </Suspense>
      )}
    </>
  )
}

/** The owner of a view can change it. Managers of the workspace can change shared views. */
function useMayChange(view: View | undefined): boolean {
  const { role } = useWorkspace()
  const { data: session } = useQuery(sessionQuery)
  if (!view) return false
  return view.owner?.id === session?.user.id || (view.shared && roleMay(role, 'manage_workspace'))
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(state: object): [string, unknown][] {
  return Object.entries(state).sort(([one], [other]) => (one < other ? -1 : 1))
}

function tell(error: unknown): void {
  showToast({ tone: 'danger', message: messageOf(error) })
}
