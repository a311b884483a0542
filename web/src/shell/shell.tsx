import type { View } from '@kith/contract/app/views'
import type { ResourceName } from '@kith/contract/resource'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import {
  BookOpen,
  ChartColumn,
  Check,
  ChevronsUpDown,
  CircleQuestionMark,
  CopyCheck,
  House,
  LogOut,
  Monitor,
  Moon,
  PanelLeftClose,
  Plus,
  Search,
  Settings,
  Sun,
  UserRound,
} from 'lucide-react'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { useLiveUpdates } from '../api/live-updates.ts'
import { messageOf } from '../api/problems.ts'
import { useSchema } from '../api/schema.ts'
import { sessionQuery, signOut, startQuery } from '../api/session.ts'
import { viewsQuery } from '../api/views.ts'
import { useSlug, useWorkspace } from '../api/workspace.ts'
import { Avatar } from '../components/avatar.tsx'
import { IconButton } from '../components/button.tsx'
import { chunk } from '../components/chunk.tsx'
import { Confirm, Sheet } from '../components/dialog.tsx'
import {
  Menu,
  MenuContent,
  MenuItem,
  MenuLabel,
  MenuLine,
  MenuTrigger,
  SubMenu,
  SubMenuContent,
  SubMenuTrigger,
} from '../components/menu.tsx'
import { Skeleton } from '../components/states.tsx'
import { showToast, undoLatest } from '../components/toast-store.ts'
import { Keys } from '../components/tooltip.tsx'
import { removeAllDrafts, useAllDrafts } from '../drafts/drafts.ts'
import { UnsavedBar } from '../drafts/unsaved-bar.tsx'
import { activeShortcuts, listenForShortcuts, UNDO, useShortcut } from '../keyboard/shortcuts.ts'
import { ResourceIcon } from '../resource-icon.tsx'
import { appearanceOf } from '../resources.ts'
import { useStore } from '../store.ts'
import { UnsentBar } from '../uploads/unsent-bar.tsx'
import { removeAllUploads, useUploads } from '../uploads/uploads.ts'
import { UserAvatar } from '../user-avatar.tsx'
import { SidebarContext, type Theme, useSidebar, useSidebarChoice, useTheme } from './device-settings.ts'
import { openPalette } from './open-palette.ts'
import { InboxLink, unread, useUnreadCount } from './unread.tsx'

// Rarely seen, so they are fetched on first use.
const KeyList = chunk(async () => (await import('./key-list.tsx')).KeyList)
const Paused = chunk(async () => (await import('./paused.tsx')).Paused)

/** The frame of every screen of a workspace: sidebar, keys and live updates. */
export function Shell() {
  const slug = useSlug()
  const choice = useSidebarChoice()
  const [sheetOpen, setSheetOpen] = useState(false)
  const { href, pathname } = useLocation()
  const { paused } = useWorkspace()
  useLiveUpdates(slug)
  useUnreadCount()
  useEffect(listenForShortcuts, [])
  useShortcut(UNDO, 'Undo', () => void undoLatest())
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sheet closes whenever the address changes
  useEffect(() => setSheetOpen(false), [href])
  return (
    <SidebarContext value={{ ...choice, openSheet: () => setSheetOpen(true) }}>
      <div className="flex h-dvh">
        {choice.shown && (
          <div className="hidden w-55 shrink-0 border-r border-line bg-sunk md:block">
            <Sidebar />
          </div>
        )}
        <Sheet open={sheetOpen} onOpenChange={setSheetOpen} title="Navigation">
          <Sidebar />
        </Sheet>
        <main className="flex min-w-0 flex-1 flex-col overflow-hidden">
          <UnsavedBar />
          <UnsentBar />
          {paused && !pathname.startsWith(`/${slug}/settings/`) ? <Paused /> : <Outlet />}
        </main>
      </div>
      <KeysPlace />
    </SidebarContext>
  )
}

const widths = ['w-16', 'w-24', 'w-20', 'w-28', 'w-14', 'w-16']

/** The outline of the application, for the moment before anything is known. */
export function ShellSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="flex h-dvh">
      <div className="hidden w-55 shrink-0 space-y-4 border-r border-line bg-sunk p-4 md:block">
        {widths.map((width, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they have nothing but their place
          <Skeleton key={place} className={width} />
        ))}
      </div>
      <div className="flex-1">
        <div className="flex h-12 items-center border-b border-line px-4">
          <Skeleton className="w-32" />
        </div>
      </div>
    </div>
  )
}

/** The list of keys, opened with `?`. It shows the keys of this screen. */
function KeysPlace() {
  const [keys, setKeys] = useState<ReturnType<typeof activeShortcuts>>()
  useShortcut('?', 'Show these keys', () => setKeys(activeShortcuts()))
  return <Suspense>{keys && <KeyList keys={keys} onClose={() => setKeys(undefined)} />}</Suspense>
}

const rowLook =
  'flex h-7.5 items-center gap-2 rounded-md px-2 text-sm ' + '[&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint'

const activeProps = { className: 'bg-line text-ink font-medium' }

const inactiveProps = { className: 'text-quiet hover:bg-hover hover:text-ink' }

/** The ways through a workspace. */
function Sidebar() {
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
        <InboxLink count={useStore(unread)} look={{ className: rowLook, activeProps, inactiveProps }} />
        <div className="h-3" />
        {[...useSchema().values()].map((definition) => {
          const { type: resource } = definition
          const look = appearanceOf(definition)
          const { name } = look
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
                <ResourceIcon of={look} />
                <span dir="auto" className="truncate" title={name}>
                  {name}
                </span>
              </Link>
              {own.map((view) => (
                <ViewRow key={view.id} resource={resource} view={view} current={view.id === open} />
              ))}
            </div>
          )
        })}
        <div className="h-3" />
        <Row to="/$workspace/reports" icon={<ChartColumn />}>
          Reports
        </Row>
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

function Row(props: {
  to: '/$workspace' | '/$workspace/reports' | '/$workspace/duplicates' | '/$workspace/settings'
  exact?: boolean
  icon: ReactNode
  children: ReactNode
}) {
  const { to, exact = false, icon, children } = props
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
function ViewRow({ resource, view, current }: { resource: ResourceName; view: View; current: boolean }) {
  // A view that was changed and not yet saved is still the one that is open.
  const look = current ? { ...activeProps, 'aria-current': 'page' as const } : inactiveProps
  return (
    <Link
      to="/$workspace/$resource"
      params={{ workspace: useSlug(), resource }}
      search={{ ...view.state, view: view.id }}
      className={`${rowLook} pl-8`}
      activeProps={look}
      inactiveProps={look}
    >
      <span className="truncate">{view.name}</span>
    </Link>
  )
}

/** The name of the workspace, and the way to the others. */
function WorkspaceMenu() {
  const workspace = useWorkspace()
  const { data: session } = useQuery(sessionQuery)
  const navigate = useNavigate()
  const { toggle } = useSidebar()
  return (
    <>
      <Menu>
        <MenuTrigger className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-md px-2 text-left hover:bg-hover">
          <Avatar name={workspace.name} shape="company" />
          <span className="min-w-0 flex-1 truncate text-sm font-semibold">{workspace.name}</span>
          <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-faint" />
        </MenuTrigger>
        <MenuContent className="w-60">
          <MenuLabel>Workspaces</MenuLabel>
          {session?.workspaces.map(({ slug, name }) => (
            <MenuItem
              key={slug}
              icon={<Avatar name={name} shape="company" />}
              onSelect={() => navigate({ to: '/$workspace', params: { workspace: slug } })}
            >
              <span className="flex items-center gap-2">
                <span className="min-w-0 flex-1 truncate">{name}</span>
                {slug === workspace.slug && <Check aria-label="This workspace" />}
              </span>
            </MenuItem>
          ))}
          <MenuLine />
          {session?.workspace_problem ? (
            <p className="px-2 py-1.5 text-xs text-quiet">{session.workspace_problem}</p>
          ) : (
            <MenuItem icon={<Plus />} onSelect={() => navigate({ to: '/new-workspace' })}>
              New workspace
            </MenuItem>
          )}
        </MenuContent>
      </Menu>
      <IconButton label="Hide the sidebar" keys="[" className="max-md:hidden" onClick={toggle}>
        <PanelLeftClose />
      </IconButton>
    </>
  )
}

const themes: readonly [Theme, string, typeof Sun][] = [
  ['light', 'Light', Sun],
  ['dark', 'Dark', Moon],
  ['system', 'Like the system', Monitor],
]

/** Who is signed in, how it looks to them, and the way out. */
function UserMenu() {
  const slug = useSlug()
  const { data: session } = useQuery(sessionQuery)
  const [theme, setTheme] = useTheme()
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const unsaved = useAllDrafts().length + useUploads().length
  const leave = async () => {
    try {
      await signOut()
    } catch (error) {
      return showToast({ tone: 'danger', message: `You are still signed in: ${messageOf(error)}` })
    }
    removeAllDrafts()
    await removeAllUploads()
    // A new start, so that nothing of this user stays in memory.
    window.location.assign('/sign-in')
  }
  const name = session?.user.name ?? ''
  return (
    <Menu>
      <MenuTrigger className="flex h-8 w-full items-center gap-2 rounded-md px-2 text-left hover:bg-hover">
        <UserAvatar id={session?.user.id} name={name} />
        <span className="min-w-0 flex-1 truncate text-sm">{name}</span>
      </MenuTrigger>
      <MenuContent side="top" className="w-52">
        <div className="truncate px-2 py-1.5 text-xs text-faint">{session?.user.email}</div>
        <MenuItem
          icon={<UserRound />}
          onSelect={() => navigate({ to: '/$workspace/settings/$page', params: { workspace: slug, page: 'profile' } })}
        >
          Profile
        </MenuItem>
        <SubMenu>
          <SubMenuTrigger icon={<Sun />}>Theme</SubMenuTrigger>
          <SubMenuContent>
            {themes.map(([value, label, Icon]) => (
              <MenuItem key={value} icon={<Icon />} onSelect={() => setTheme(value)}>
                {label}
                {theme === value && <span className="sr-only"> (chosen)</span>}
              </MenuItem>
            ))}
          </SubMenuContent>
        </SubMenu>
        <GuideItem />
        <MenuItem icon={<BookOpen />} onSelect={() => window.open('/docs', '_blank')}>
          API reference
        </MenuItem>
        <MenuLine />
        <MenuItem icon={<LogOut />} onSelect={() => (unsaved > 0 ? setAsking(true) : leave())}>
          Sign out
        </MenuItem>
      </MenuContent>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title="Sign out with unsaved changes?"
        action="Discard and sign out"
        onConfirm={leave}
      >
        {unsaved === 1 ? 'One change is not saved' : `${unsaved} changes are not saved`}. Signing out removes what you
        typed from this browser.
      </Confirm>
    </Menu>
  )
}

/** Nothing where the guide is not built. */
function GuideItem() {
  const { data: start } = useQuery({ ...startQuery, staleTime: Number.POSITIVE_INFINITY })
  if (!start?.guide) return null
  return (
    <MenuItem icon={<CircleQuestionMark />} onSelect={() => window.open('/guide/', '_blank')}>
      Guide
    </MenuItem>
  )
}
