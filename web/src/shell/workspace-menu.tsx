import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Check, ChevronsUpDown, PanelLeftClose, Plus } from 'lucide-react'
import { sessionQuery } from '../api/session.ts'
import { useWorkspace } from '../api/workspace.ts'
import { Avatar } from '../components/avatar.tsx'
import { IconButton } from '../components/icon-button.tsx'
import { Menu, MenuContent, MenuItem, MenuLabel, MenuLine, MenuTrigger } from '../components/menu.tsx'
import { useSidebar } from './sidebar-choice.ts'

/** The name of the workspace, and the way to the others. */
export function WorkspaceMenu() {
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
