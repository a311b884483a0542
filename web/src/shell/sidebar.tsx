import type { View } from '@kith/contract/app/views'
import { resourceNames } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CopyCheck, House, Search, Settings } from 'lucide-react'
import type { ReactNode } from 'react'
import { viewsQuery } from '../api/views.ts'
import { useSlug } from '../api/workspace.ts'
import { Keys } from '../components/keys.tsx'
import { appearances } from '../resources.ts'
import { openPalette } from './palette-door.ts'
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
          return (
            <div key={resource}>
              <Link
                to="/$workspace/$resource"
                params={{ workspace: slug, resource }}
                className={rowLook}
                activeProps={activeProps}
                inactiveProps={inactiveProps}
                activeOptions={{ includeSearch: false }}
              >
                <Icon aria-hidden />
                {many}
              </Link>
              {views
                .filter((view) => view.resource === resource)
                .map((view) => (
                  <ViewRow key={view.id} view={view} />
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
function ViewRow({ view }: { view: View }) {
  return (
    <Link
      to="/$workspace/$resource"
      params={{ workspace: useSlug(), resource: view.resource }}
      search={{ ...view.state, view: view.id }}
      className={`${rowLook} pl-8`}
      activeOptions={{ includeSearch: true, exact: false }}
      activeProps={activeProps}
      inactiveProps={inactiveProps}
    >
      <span className="truncate">{view.name}</span>
    </Link>
  )
}
