import type { Role } from '@kith/contract/abilities'
import { type Permission, roleMay } from '@kith/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import {
  Bell,
  CreditCard,
  History,
  KeyRound,
  type LucideIcon,
  Plug,
  RefreshCw,
  Settings2,
  Settings as SettingsIcon,
  Shapes,
  ShieldCheck,
  TextCursorInput,
  Trash2,
  Upload,
  UserRound,
  UsersRound,
  Webhook,
} from 'lucide-react'
import { type ComponentType, Suspense } from 'react'
import { startQuery } from '../../api/session.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { loadChosenIcons } from '../../chosen-icons.ts'
import { chunk } from '../../components/chunk.tsx'
import { Select } from '../../components/select.tsx'
import { Header } from '../../shell/header.tsx'
import { NotFound } from '../failed.tsx'
import { PageSkeleton } from './page.tsx'

const groups = ['You', 'Workspace'] as const

export function Settings() {
  const { role } = useWorkspace()
  const { data: start } = useQuery({ ...startQuery, staleTime: Number.POSITIVE_INFINITY })
  const pages = settingPagesFor(role, start?.hosted ?? false)
  const { page } = useParams({ strict: false })
  const open = pages.find((one) => one.page === page)
  return (
    <>
      <Header icon={<SettingsIcon aria-hidden />} title="Settings" tab={open && `${open.label} · Settings`} />
      <div className="flex min-h-0 flex-1">
        <nav aria-label="Settings" className="hidden w-55 shrink-0 overflow-y-auto border-r border-line p-3 lg:block">
          {groups.map((group) => (
            <div key={group} className="mb-4">
              <h2 className="px-2 pb-1 text-xs text-faint">{group}</h2>
              {pages
                .filter((one) => one.group === group)
                .map((one) => (
                  <PageLink key={one.page} page={one} />
                ))}
            </div>
          ))}
        </nav>
        <div className="min-w-0 flex-1 overflow-y-auto">
          <PageSelect pages={pages} />
          <Outlet />
        </div>
      </div>
    </>
  )
}

function PageLink({ page: { page, label, icon: Icon } }: { page: SettingPage }) {
  return (
    <Link
      to="/$workspace/settings/$page"
      params={{ workspace: useSlug(), page }}
      className="flex h-7.5 items-center gap-2 rounded-md px-2 text-sm [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint"
      activeProps={{ className: 'bg-hover font-medium text-ink' }}
      inactiveProps={{ className: 'text-quiet hover:bg-hover hover:text-ink' }}
      activeOptions={{ includeSearch: false }}
    >
      <Icon aria-hidden />
      {label}
    </Link>
  )
}

/** On narrow screens the name of the page opens the list of pages. */
function PageSelect({ pages }: { pages: readonly SettingPage[] }) {
  const slug = useSlug()
  const navigate = useNavigate()
  const { page = '' } = useParams({ strict: false })
  return (
    <div className="border-b border-line px-4 py-2 lg:hidden">
      <Select
        label="Page of the settings"
        value={page}
        onValueChange={(page) => navigate({ to: '/$workspace/settings/$page', params: { workspace: slug, page } })}
        choices={pages.map(({ page, label, icon: Icon }) => ({
          value: page,
          label,
          icon: <Icon aria-hidden className="size-4 text-faint" />,
        }))}
      />
    </div>
  )
}

type SettingPage = {
  page: string
  label: string
  icon: LucideIcon
  group: 'You' | 'Workspace'
  needs?: Permission
  hosted?: true
}

const pages: readonly SettingPage[] = [
  { page: 'profile', label: 'Profile and appearance', icon: UserRound, group: 'You' },
  { page: 'security', label: 'Password and sign-in', icon: ShieldCheck, group: 'You' },
  { page: 'notifications', label: 'Notifications', icon: Bell, group: 'You' },
  { page: 'workspace', label: 'General', icon: Settings2, group: 'Workspace' },
  { page: 'members', label: 'Members', icon: UsersRound, group: 'Workspace' },
  { page: 'data', label: 'Data', icon: Shapes, group: 'Workspace' },
  { page: 'fields', label: 'Custom fields', icon: TextCursorInput, group: 'Workspace' },
  { page: 'tokens', label: 'Access Tokens', icon: KeyRound, group: 'Workspace' },
  { page: 'connections', label: 'Connections', icon: Plug, group: 'Workspace' },
  { page: 'sync', label: 'Sync', icon: RefreshCw, group: 'Workspace' },
  { page: 'webhooks', label: 'Webhooks', icon: Webhook, group: 'Workspace', needs: 'create' },
  { page: 'imports', label: 'Imports', icon: Upload, group: 'Workspace', needs: 'create' },
  { page: 'trash', label: 'Trash', icon: Trash2, group: 'Workspace', needs: 'delete' },
  { page: 'audit', label: 'Audit log', icon: History, group: 'Workspace', needs: 'read_audit_log' },
  { page: 'billing', label: 'Billing', icon: CreditCard, group: 'Workspace', hosted: true },
]

/** The pages of the settings that this member sees. */
function settingPagesFor(role: Role, hosted: boolean): SettingPage[] {
  return pages.filter((one) => (hosted || !one.hosted) && (one.needs === undefined || roleMay(role, one.needs)))
}

const route = getRouteApi('/$workspace/settings/$page')

const screens: Readonly<Record<string, ComponentType>> = {
  profile: chunk(async () => (await import('./profile/profile.tsx')).Profile),
  security: chunk(async () => (await import('./security/security.tsx')).Security),
  notifications: chunk(async () => (await import('./notifications/notifications.tsx')).Notifications),
  workspace: chunk(async () => (await import('./workspace/general.tsx')).General),
  members: chunk(async () => (await import('./members/members.tsx')).Members),
  data: chunk(async () => (await Promise.all([import('./data/data.tsx'), loadChosenIcons()]))[0].Data),
  fields: chunk(async () => (await import('./fields/fields.tsx')).Fields),
  tokens: chunk(async () => (await import('./tokens/tokens.tsx')).Tokens),
  connections: chunk(async () => (await import('./tokens/connections.tsx')).Connections),
  sync: chunk(async () => (await import('./sync/sync.tsx')).Sync),
  webhooks: chunk(async () => (await import('./webhooks/webhooks.tsx')).Webhooks),
  imports: chunk(async () => (await import('./imports/imports.tsx')).Imports),
  trash: chunk(async () => (await import('./trash/trash.tsx')).Trash),
  audit: chunk(async () => (await import('./audit/audit.tsx')).Audit),
  billing: chunk(async () => (await import('./billing/billing.tsx')).Billing),
}

export function SettingsPage() {
  const { page } = route.useParams()
  const Page = Object.hasOwn(screens, page) ? screens[page] : undefined
  if (!Page) return <NotFound />
  return (
    <Suspense fallback={<PageSkeleton />}>
      <Page />
    </Suspense>
  )
}
