import { roleMay } from '@kith/contract/permissions'
import { type ResourceName, resourceNames } from '@kith/contract/resource'
import { useNavigate } from '@tanstack/react-router'
import { CopyCheck, House, type LucideIcon, Monitor, Moon, Plus, Settings, Sun, Upload } from 'lucide-react'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { appearances } from '../../resources.ts'
import { type Theme, useTheme } from '../../shell/theme.ts'

/** A page to go to or a thing to do. */
type Entry = {
  id: string
  group: 'Go to' | 'Create' | 'Appearance'
  label: string
  icon: LucideIcon
  run(): void
}

const themes: readonly { theme: Theme; label: string; icon: LucideIcon }[] = [
  { theme: 'light', label: 'Light theme', icon: Sun },
  { theme: 'dark', label: 'Dark theme', icon: Moon },
  { theme: 'system', label: 'Theme of the system', icon: Monitor },
]

const settingsPages: Readonly<Record<string, string>> = {
  profile: 'Profile and appearance',
  workspace: 'Workspace',
  members: 'Members',
  fields: 'Custom fields',
  tokens: 'Access tokens',
  imports: 'Imports',
  trash: 'Trash',
}

/** Everything but records that can be found from anywhere. */
export function usePaletteEntries(onCreate: (resource: ResourceName) => void): Entry[] {
  const workspace = useSlug()
  const { role } = useWorkspace()
  const navigate = useNavigate()
  const [, setTheme] = useTheme()
  return [
    ...resourceNames
      .filter(() => roleMay(role, 'create'))
      .map((resource): Entry => {
        const { one } = appearances[resource]
        return {
          id: `new ${resource}`,
          group: 'Create',
          label: `New ${one}`,
          icon: Plus,
          run: () => onCreate(resource),
        }
      }),
    ...resourceNames
      .filter(() => roleMay(role, 'create'))
      .map((resource): Entry => {
        const { many } = appearances[resource]
        return {
          id: `import ${resource}`,
          group: 'Create',
          label: `Import ${many.toLowerCase()}`,
          icon: Upload,
          run: () => navigate({ to: '/$workspace/$resource/import', params: { workspace, resource } }),
        }
      }),
    {
      id: 'home',
      group: 'Go to',
      label: 'Home',
      icon: House,
      run: () => navigate({ to: '/$workspace', params: { workspace } }),
    },
    ...resourceNames.map((resource): Entry => {
      const { icon, many } = appearances[resource]
      return {
        id: resource,
        group: 'Go to',
        label: many,
        icon,
        run: () => navigate({ to: '/$workspace/$resource', params: { workspace, resource } }),
      }
    }),
    {
      id: 'duplicates',
      group: 'Go to',
      label: 'Duplicates',
      icon: CopyCheck,
      run: () => navigate({ to: '/$workspace/duplicates', params: { workspace } }),
    },
    ...Object.entries(settingsPages).map(
      ([page, label]): Entry => ({
        id: `settings ${page}`,
        group: 'Go to',
        label: `Settings: ${label}`,
        icon: Settings,
        run: () => navigate({ to: '/$workspace/settings/$page', params: { workspace, page } }),
      }),
    ),
    ...themes.map(
      ({ theme, label, icon }): Entry => ({ id: theme, group: 'Appearance', label, icon, run: () => setTheme(theme) }),
    ),
  ]
}
