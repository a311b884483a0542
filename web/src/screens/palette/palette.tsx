import { roleMay } from '@kith/contract/permissions'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import {
  Bell,
  ChartColumn,
  CopyCheck,
  House,
  type LucideIcon,
  Monitor,
  Moon,
  Plus,
  Search,
  Settings,
  Sun,
  Upload,
} from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type KeyboardEvent, type ReactNode, useDeferredValue, useEffect, useState } from 'react'
import { shownFailure } from '../../api/problems.ts'
import { searchRecords } from '../../api/records.ts'
import { useSchema } from '../../api/schema.ts'
import { useSlug, useWorkspace } from '../../api/workspace.ts'
import { useFocusReturn } from '../../components/dialog.tsx'
import { floatLook } from '../../components/popover.tsx'
import { appearanceIn, appearanceOf } from '../../resources.ts'
import { type RecentRecord, recentRecords, type Theme, useTheme } from '../../shell/device-settings.ts'
import { type NewRecord, useNewEntries } from './new-entries.ts'

const groups = ['Create', 'Go to', 'Appearance', 'New'] as const

/** Search over everything: records by name, email, domain or phone, pages and actions. */
export function Palette({ onClose, onCreate }: { onClose(): void; onCreate(made: NewRecord): void }) {
  const schema = useSchema()
  const [text, setText] = useState('')
  const { found, busy, stale, problem } = useFound(text)
  const entries = [...useCreations(text, onCreate), ...usePaletteEntries()].filter(
    ({ group, label }) => group === 'New' || matches(label, text),
  )
  const open = useOpenRecord()
  const returnFocus = useFocusReturn(true)
  const done = (run: () => void) => () => {
    onClose()
    run()
  }
  const shown = [
    ...found.map((record) => ({ id: record.id, run: () => open(record) })),
    ...groups.flatMap((group) => entries.filter((entry) => entry.group === group)),
  ]
  const highlight = useHighlight(shown.map(({ id }) => id))
  const enter = useEnter({ text, stale: stale && !highlight.moved, run: done(() => shown[0]?.run()) })
  return (
    <Radix.Root open onOpenChange={onClose}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Radix.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          className={`${floatLook} fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-16px)] max-w-150 -translate-x-1/2 overflow-hidden`}
        >
          <Radix.Title className="sr-only">Search</Radix.Title>
          <Command
            label="Search"
            shouldFilter={false}
            loop
            value={highlight.id}
            onValueChange={highlight.move}
            onKeyDown={enter}
            className="flex max-h-[60vh] flex-col"
          >
            <div className="flex items-center gap-2 border-b border-line px-4">
              <Search aria-hidden className="size-4 shrink-0 text-faint" />
              <Command.Input
                autoFocus
                dir="auto"
                value={text}
                onValueChange={setText}
                placeholder="Search records, pages and actions"
                className="h-12 w-full bg-transparent text-base outline-none placeholder:text-faint"
              />
            </div>
            <Command.List className="min-h-0 flex-1 overflow-y-auto p-2">
              {problem !== undefined && (
                <p role="alert" className="px-2 py-3 text-sm text-danger">
                  {problem}
                </p>
              )}
              {problem === undefined && text !== '' && found.length === 0 && (
                <p role="status" className="px-2 py-3 text-sm text-quiet">
                  {busy ? 'Searching …' : `No records for “${text}”.`}
                </p>
              )}
              <Group heading={text === '' ? 'Recent' : 'Records'}>
                {found.map((record) => (
                  <Item
                    key={record.id}
                    id={record.id}
                    icon={appearanceIn(schema, record.resource).icon}
                    onSelect={done(() => open(record))}
                  >
                    <span dir="auto" className="truncate">
                      {record.name}
                    </span>
                    {record.detail && (
                      <span className="min-w-0 shrink-[2] truncate text-xs text-faint">{record.detail}</span>
                    )}
                  </Item>
                ))}
              </Group>
              {groups.map((group) => (
                <Group key={group} heading={group}>
                  {entries
                    .filter((entry) => entry.group === group)
                    .map(({ id, icon, label, run }) => (
                      <Item key={id} id={id} icon={icon} onSelect={done(run)}>
                        {label}
                      </Item>
                    ))}
                </Group>
              ))}
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** The records opened last, until something is typed. */
function useFound(typed: string): {
  found: (RecentRecord & { detail?: string | null })[]
  busy: boolean
  stale: boolean
  problem?: string | undefined
} {
  const slug = useSlug()
  const schema = useSchema()
  const text = useDeferredValue(typed.trim())
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    queryKey: [slug, 'search', text],
    queryFn: ({ signal }) => searchRecords(slug, { q: text }, signal),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })
  const stale = text !== typed.trim()
  if (text === '')
    return { found: recentRecords(slug).filter(({ resource }) => schema.has(resource)), busy: false, stale }
  const found = data ?? []
  return {
    found,
    busy: isFetching,
    stale: stale || isPlaceholderData || (isFetching && found.length === 0),
    problem: shownFailure({ data, error })?.message,
  }
}

function useOpenRecord(): (record: RecentRecord) => void {
  const workspace = useSlug()
  const navigate = useNavigate()
  return ({ resource, id }) => void navigate({ to: '/$workspace/$resource/$id', params: { workspace, resource, id } })
}

function matches(label: string, text: string): boolean {
  return label.toLowerCase().includes(text.trim().toLowerCase())
}

function Group({ heading, children }: { heading: string; children: ReactNode[] }) {
  if (children.length === 0) return null
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-faint"
    >
      {children}
    </Command.Group>
  )
}

function Item(props: { id: string; icon: typeof Search; onSelect(): void; children: ReactNode }) {
  const { id, icon: Icon, onSelect, children } = props
  return (
    <Command.Item
      value={id}
      onSelect={onSelect}
      className="flex h-9 items-center gap-2 rounded-md px-2 text-sm select-none data-[selected=true]:bg-hover"
    >
      <Icon aria-hidden className="size-4 shrink-0 text-faint" />
      {children}
    </Command.Item>
  )
}

/** The highlighted item of a list: the first, until the user moves it. Every other list begins at its first again. */
function useHighlight(ids: readonly string[]): {
  id: string
  /** Whether the user has chosen it in the list that is shown now. */
  moved: boolean
  move(id: string): void
} {
  const list = ids.join()
  const [first = ''] = ids
  const [chosen, setChosen] = useState({ list, id: first })
  const id = chosen.list === list ? chosen.id : first
  return { id, moved: id !== first, move: (id) => setChosen({ list, id }) }
}

/** Enter opens the first result of the typed text. While an earlier list is shown, it waits for the right one. */
function useEnter(options: {
  text: string
  /** The list does not belong to the text yet. */
  stale: boolean
  /** Opens the first item. */
  run(): void
}): (event: KeyboardEvent) => void {
  const { text, stale, run } = options
  const [waitingFor, setWaitingFor] = useState<string>()
  useEffect(() => {
    if (waitingFor === undefined || (stale && waitingFor === text)) return
    setWaitingFor(undefined)
    if (waitingFor === text) run()
  })
  return (event) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || !stale) return
    event.preventDefault()
    setWaitingFor(text)
  }
}

/** A page to go to or a thing to do. */
type Entry = {
  id: string
  group: (typeof groups)[number]
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
  data: 'Data',
  fields: 'Custom fields',
  tokens: 'Access tokens',
  imports: 'Imports',
  trash: 'Trash',
}

/** Ways to create records. What was typed is the name of a new one, also if nothing was found. */
function useCreations(text: string, onCreate: (made: NewRecord) => void): Entry[] {
  return useNewEntries(text).map(({ id, label, isNamed, made }) => {
    return { id, label, group: isNamed ? 'New' : 'Create', icon: Plus, run: () => onCreate(made) }
  })
}

/** Everything else that can be found from anywhere. */
function usePaletteEntries(): Entry[] {
  const workspace = useSlug()
  const { role } = useWorkspace()
  const navigate = useNavigate()
  const [, setTheme] = useTheme()
  const resources = [...useSchema().values()].map((one) => ({ resource: one.type, ...appearanceOf(one) }))
  const imported = roleMay(role, 'create') ? resources : []
  return [
    ...imported.map(
      ({ resource, many }): Entry => ({
        id: `import ${resource}`,
        group: 'Create',
        label: `Import ${many}`,
        icon: Upload,
        run: () => navigate({ to: '/$workspace/$resource/import', params: { workspace, resource } }),
      }),
    ),
    {
      id: 'home',
      group: 'Go to',
      label: 'Home',
      icon: House,
      run: () => navigate({ to: '/$workspace', params: { workspace } }),
    },
    ...resources.map(
      ({ resource, icon, name }): Entry => ({
        id: `list ${resource}`,
        group: 'Go to',
        label: name,
        icon,
        run: () => navigate({ to: '/$workspace/$resource', params: { workspace, resource } }),
      }),
    ),
    {
      id: 'inbox',
      group: 'Go to',
      label: 'Inbox',
      icon: Bell,
      run: () => navigate({ to: '/$workspace/notifications', params: { workspace } }),
    },
    {
      id: 'reports',
      group: 'Go to',
      label: 'Reports',
      icon: ChartColumn,
      run: () => navigate({ to: '/$workspace/reports', params: { workspace } }),
    },
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
