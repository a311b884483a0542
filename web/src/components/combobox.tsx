import { Command } from 'cmdk'
import { Check } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { classNames } from './class-names.ts'

export type ComboboxItem = { value: string; label: string; detail?: string; icon?: ReactNode; group?: string }

/** A searchable list for a popover or a cell, with keyboard and mouse support. */
export function Combobox(props: {
  items: readonly ComboboxItem[]
  /** The values that are chosen, marked with a tick. */
  chosen?: readonly string[]
  onPick(value: string): void
  placeholder?: string
  /** The label of the search field. */
  label?: string
  empty?: ReactNode
  /** If the service searches: it gets the typed text, and `items` are its results. */
  search?: {
    text: string
    onText(text: string): void
    busy: boolean
    /** Why the service could not be asked. */
    problem: string | undefined
  }
  /** Shown below the list. It may depend on the highlighted value. */
  footer?: ReactNode | ((highlighted: string) => ReactNode)
}) {
  const { items, chosen = [], onPick, placeholder = 'Search', label, empty, search, footer } = props
  const [highlighted, setHighlighted] = useState('')
  // Results that arrive later select their first item again.
  const current = items.some(({ value }) => value === highlighted) ? highlighted : (items[0]?.value ?? '')
  const groups = [...new Set(items.map((item) => item.group ?? ''))]
  return (
    <Command
      label={label ?? placeholder}
      shouldFilter={search === undefined}
      {...(search ? { value: current, onValueChange: setHighlighted } : {})}
      loop
      className="flex max-h-80 min-w-52 flex-col"
    >
      <Command.Input
        autoFocus
        placeholder={placeholder}
        {...(search ? { value: search.text, onValueChange: search.onText } : {})}
        className="h-9 w-full shrink-0 border-b border-line bg-transparent px-3 text-sm outline-none"
      />
      <Command.List className="min-h-0 flex-1 overflow-y-auto p-1">
        {search?.problem !== undefined && (
          <p role="alert" className="px-2 py-3 text-sm text-danger">
            {search.problem}
          </p>
        )}
        {search?.problem === undefined && (
          <Command.Empty className="px-2 py-3 text-sm text-quiet">
            {search?.busy ? 'Searching…' : (empty ?? 'Nothing found')}
          </Command.Empty>
        )}
        {groups.map((group) => (
          <Command.Group
            key={group}
            heading={group || undefined}
            className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-faint"
          >
            {items
              .filter((item) => (item.group ?? '') === group)
              .map((item) => (
                <Item key={item.value} item={item} picked={chosen.includes(item.value)} onPick={onPick} />
              ))}
          </Command.Group>
        ))}
      </Command.List>
      {typeof footer === 'function' ? footer(current) : footer}
    </Command>
  )
}

function Item({ item, picked, onPick }: { item: ComboboxItem; picked: boolean; onPick(value: string): void }) {
  return (
    <Command.Item
      value={item.value}
      keywords={[item.label, item.detail ?? '']}
      onSelect={() => onPick(item.value)}
      aria-checked={picked}
      className={classNames(
        'flex min-h-7 items-center gap-2 rounded-sm px-2 py-1 text-sm select-none data-[selected=true]:bg-hover',
        '[&_svg]:size-4 [&_svg]:shrink-0',
      )}
    >
      {item.icon}
      <span className="min-w-0 flex-1 truncate">
        {item.label}
        {item.detail && <span className="ml-2 text-xs text-faint">{item.detail}</span>}
      </span>
      {picked && <Check aria-hidden className="text-accent" />}
    </Command.Item>
  )
}
