import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { Settings as SettingsIcon } from 'lucide-react'
import { startQuery } from '../../api/session.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { Select } from '../../components/select.tsx'
import { Header } from '../../shell/header.tsx'
import { type SettingPage, settingPagesFor } from './setting-pages.ts'

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
