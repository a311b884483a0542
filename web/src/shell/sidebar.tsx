import type { View } from '@kith/contract/app/views'
import { resourceNames } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { CopyCheck, House, Search, Settings } from 'lucide-react'
import type { ReactNode } from 'react'
import { viewsQuery } from '../api/views.ts'
import { useSlug } from '../api/workspace.ts'
import { Keys } from '../components/keys.tsx'
import { appearances } from '../resources.ts'
import { openPalette } from './open-palette.ts'
import { UserMenu } from './user-menu.tsx'
import { WorkspaceMenu } from './workspace-menu.tsx'

const rowLook =
  'flex h-7.5 items-center gap-2 rounded-md px-2 text-sm ' + '[&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint'
const activeProps = { className: 'bg-line text-ink font-medium' }
const inactiveProps = { className: 'text-quiet hover:bg-hover hover:text-ink' }

/** The ways through a workspace. */
export function Sidebar() {
  const slug = useSlug()
  const { data: views = [] } = useQuery(viewsQuery(slug))
  const { view: open } = useSearch({ strict: false })
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-12 items-center px-2">
        <WorkspaceMenu />
      </div>
      <nav aria-label="Workspace" className="min-h-0 flex-1 space-y-px overflow-y-auto px-2 pb-3">
        <button type="button" onClick={openPalette} className={`${rowLook} ${inactiveProps.className} w-full`}>
          <Search aria-hidden />
          <span className="flex-1 text-left">Search</span>
          <Keys keys="Mod+K" />
        </button>
        <Row to="/$workspace" exact icon={<House />}>
          Home
        </Row>
        <div className="h-3" />
        {resourceNames.map((resource) => {
          const { icon: Icon, many } = appearances[resource]
          const own = views.filter((view) => view.resource === resource)
          // Only one entry is current: the open view, or else the resource.
          const elsewhere = own.some(({ id }) => id === open)
          return (
            <div key={resource}>
              <Link
                to="/$workspace/$resource"
                params={{ workspace: slug, resource }}
                className={rowLook}
                activeProps={activeProps}
                inactiveProps={inactiveProps}
                activeOptions={{ includeSearch: elsewhere, exact: elsewhere }}
              >
                <Icon aria-hidden />
                {many}
              </Link>
              {own.map((view) => (
                <ViewRow key={view.id} view={view} current={view.id === open} />
              ))}
            </div>
          )
        })}
        <div className="h-3" />
        <Row to="/$workspace/duplicates" icon={<CopyCheck />}>
          Duplicates
        </Row>
        <Row to="/$workspace/settings" icon={<Settings />}>
          Settings
        </Row>
      </nav>
      <div className="border-t border-line p-2">
        <UserMenu />
      </div>
    </div>
  )
}

type RowProps = {
  to: '/$workspace' | '/$workspace/duplicates' | '/$workspace/settings'
  exact?: boolean
  icon: ReactNode
  children: ReactNode
}

function Row({ to, exact = false, icon, children }: RowProps) {
  return (
    <Link
      to={to}
      params={{ workspace: useSlug() }}
      className={rowLook}
      activeProps={activeProps}
      inactiveProps={inactiveProps}
      activeOptions={{ exact, includeSearch: false }}
    >
      {icon}
      {children}
    </Link>
  )
}

/** A saved view; the address that it opens holds its whole state. */
function ViewRow({ view, current }: { view: View; current: boolean }) {
  // A view that was changed and not yet saved is still the one that is open.
  const look = current ? { ...activeProps, 'aria-current': 'page' as const } : inactiveProps
  return (
    <Link
      to="/$workspace/$resource"
      params={{ workspace: useSlug(), resource: view.resource }}
      search={{ ...view.state, view: view.id }}
      className={`${rowLook} pl-8`}
      activeProps={look}
      inactiveProps={look}
    >
      <span className="truncate">{view.name}</span>
    </Link>
  )
}
