import { roleMay } from '@kith/contract/permissions'
import { resourceNames } from '@kith/contract/resource'
import { useNavigate } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { useSlug, useWorkspace } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { Menu, MenuContent, MenuItem, MenuTrigger } from '../../../components/menu.tsx'
import { appearances } from '../../../resources.ts'

/** Begins an import: it asks first what the file holds. */
export function ImportMenu() {
  const slug = useSlug()
  const navigate = useNavigate()
  const { role } = useWorkspace()
  if (!roleMay(role, 'create')) return null
  return (
    <Menu>
      <MenuTrigger asChild>
        <Button>
          Import a file
          <ChevronDown aria-hidden className="text-faint" />
        </Button>
      </MenuTrigger>
      <MenuContent align="end">
        {resourceNames.map((resource) => {
          const { icon: Icon, many } = appearances[resource]
          return (
            <MenuItem
              key={resource}
              icon={<Icon aria-hidden />}
              onSelect={() => navigate({ to: '/$workspace/$resource/import', params: { workspace: slug, resource } })}
            >
              {many}
            </MenuItem>
          )
        })}
      </MenuContent>
    </Menu>
  )
}
