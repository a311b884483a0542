import { Switch as RadixSwitch } from 'radix-ui'
import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

export function Switch({ className, ...rest }: ComponentProps<typeof RadixSwitch.Root>) {
  return (
    <RadixSwitch.Root
      className={classNames(
        'relative h-4.5 w-8 shrink-0 rounded-full border border-faint bg-sunk transition-colors disabled:opacity-60',
        'data-[state=checked]:border-accent data-[state=checked]:bg-accent',
        className,
      )}
      {...rest}
    >
      <RadixSwitch.Thumb className="block size-3 translate-x-0.5 rounded-full bg-faint transition-transform data-[state=checked]:translate-x-4 data-[state=checked]:bg-on-accent" />
    </RadixSwitch.Root>
  )
}
