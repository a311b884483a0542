import type { View } from '@kith/contract/app/views'
import { roleMay } from '@kith/contract/permissions'
import type { ResourceName } from '@kith/contract/resource'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Bookmark, ChevronDown, Download, Pencil, Plus, Trash2, Upload, UsersRound } from 'lucide-react'
import { Suspense, useState } from 'react'
import { messageOf } from '../../api/problems.ts'
import { sessionQuery } from '../../api/session.ts'
import { deleteView, updateView, type ViewInput, viewsQuery } from '../../api/views.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Button } from '../../components/button.tsx'
import { chunk } from '../../components/chunk.tsx'
import { Menu, MenuContent, MenuItem, MenuLabel, MenuLine, MenuTrigger } from '../../components/menu.tsx'
import { showToast } from '../../components/toast-store.ts'
import { appearances } from '../../resources.ts'
import type { Column } from './columns.ts'
import { parseListState, useListState, viewStateOf } from './list-state.ts'
import { useOpenView, useViews } from './open-view.ts'

const ExportDialog = chunk(async () => (await import('../export/export-dialog.tsx')).ExportDialog)
const ViewDialog = chunk(async () => (await import('./view-dialog.tsx')).ViewDialog)

/** The views of a list: opens, saves, changes and deletes them, exports the list, and imports into it. */
export function ViewMenu({ resource, columns }: { resource: ResourceName; columns: readonly Column[] }) {
  const slug = useSlug()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [state] = useListState()
  const [dialog, setDialog] = useState<'new' | 'rename' | 'export'>()
  const views = useViews(resource)
  const current = useOpenView(resource)
  const mayChange = useMayChange(current)
  const mayImport = roleMay(useWorkspace().role, 'create')
  const changed = current !== undefined && !isSame(viewStateOf(state), viewStateOf(parseListState(current.state)))
  const { many } = appearances[resource]
  const title = current?.name ?? `All ${many.toLowerCase()}`
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
            <span className="truncate max-sm:sr-only">{title}</span>
            <ChevronDown aria-hidden className="text-faint" />
          </Button>
        </MenuTrigger>
        <MenuContent className="w-60">
          <MenuItem onSelect={() => open(undefined)}>All {many.toLowerCase()}</MenuItem>
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
          {mayImport && (
            <MenuItem
              icon={<Upload />}
              onSelect={() => navigate({ to: '/$workspace/$resource/import', params: { workspace: slug, resource } })}
            >
              Import {many.toLowerCase()}
            </MenuItem>
          )}
        </MenuContent>
      </Menu>
      {changed && mayChange && (
        <Button look="quiet" className="text-accent" onClick={() => change({ state: viewStateOf(state) })}>
          Save changes
        </Button>
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
