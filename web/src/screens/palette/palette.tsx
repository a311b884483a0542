import type { ResourceName } from '@kith/contract/resource'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { Search } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { shownFailure } from '../../api/problems.ts'
import { searchRecords } from '../../api/search.ts'
import { useSlug } from '../../api/workspace.ts'
import { useFocusReturn } from '../../components/focus-return.ts'
import { floatLook } from '../../components/popover.tsx'
import { appearances } from '../../resources.ts'
import { recentRecords, type Visited } from '../../shell/recent-records.ts'
import { useEnter, useHighlight } from './highlight.ts'
import { usePaletteEntries } from './palette-entries.ts'

type Found = Visited & { detail?: string | null }

type Props = { onClose(): void; onCreate(resource: ResourceName): void }

const groups = ['Create', 'Go to', 'Appearance'] as const

/** Search over everything: records by name, email, domain or phone, pages and actions. */
export function Palette({ onClose, onCreate }: Props) {
  const [text, setText] = useState('')
  const { found, busy, stale, problem } = useFound(text)
  const entries = usePaletteEntries(onCreate).filter(({ label }) => matches(label, text))
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
              {problem === undefined && (
                <Command.Empty className="px-2 py-6 text-center text-sm text-quiet">
                  {busy ? 'Searching …' : `Nothing is called “${text}”.`}
                </Command.Empty>
              )}
              <Group heading={text === '' ? 'Recent' : 'Records'}>
                {found.map((record) => (
                  <Item
                    key={record.id}
                    id={record.id}
                    icon={appearances[record.resource].icon}
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

/** What was opened last, until something is typed. */
function useFound(typed: string): { found: Found[]; busy: boolean; stale: boolean; problem?: string | undefined } {
  const slug = useSlug()
  const text = useDeferredValue(typed.trim())
  const { data, error, isFetching, isPlaceholderData } = useQuery({
    queryKey: [slug, 'search', text],
    queryFn: ({ signal }) => searchRecords(slug, { q: text }, signal),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })
  const stale = text !== typed.trim()
  if (text === '') return { found: recentRecords(slug), busy: false, stale }
  const found = data ?? []
  return {
    found,
    busy: isFetching,
    stale: stale || isPlaceholderData || (isFetching && found.length === 0),
    problem: shownFailure({ data, error })?.message,
  }
}

function useOpenRecord(): (record: Visited) => void {
  const workspace = useSlug()
  const navigate = useNavigate()
  return ({ resource, id }) => navigate({ to: '/$workspace/$resource/$id', params: { workspace, resource, id } })
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

type ItemProps = { id: string; icon: typeof Search; onSelect(): void; children: ReactNode }

function Item({ id, icon: Icon, onSelect, children }: ItemProps) {
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
