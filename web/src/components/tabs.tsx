import { Tabs as Radix } from 'radix-ui'
import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

export const Tabs = Radix.Root

export function TabList({ className, ...rest }: ComponentProps<typeof Radix.List>) {
  return <Radix.List className={classNames('flex gap-4 overflow-x-auto border-b border-line', className)} {...rest} />
}

export function Tab({ className, ...rest }: ComponentProps<typeof Radix.Trigger>) {
  return (
    <Radix.Trigger
      // Radix focuses a clicked tab by script, for which browsers draw the ring of the keyboard.
      onMouseDown={({ currentTarget }) => currentTarget.focus({ focusVisible: false })}
      className={classNames(
        '-mb-px h-9 border-b-2 border-transparent text-sm whitespace-nowrap text-quiet -outline-offset-2 hover:text-ink',
        'data-[state=active]:border-accent data-[state=active]:text-ink',
        className,
      )}
      {...rest}
    />
  )
}

export const TabPanel = Radix.Content
