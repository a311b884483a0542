import { Switch as Radix } from 'radix-ui'
import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

export function Switch({ className, ...rest }: ComponentProps<typeof Radix.Root>) {
  return (
    <Radix.Root
      className={classNames(
        'relative h-4.5 w-8 shrink-0 rounded-full border border-faint bg-sunk transition-colors disabled:opacity-60',
        'data-[state=checked]:border-accent data-[state=checked]:bg-accent',
        className,
      )}
      {...rest}
    >
      <Radix.Thumb className="block size-3 translate-x-0.5 rounded-full bg-faint transition-transform data-[state=checked]:translate-x-4 data-[state=checked]:bg-on-accent" />
    </Radix.Root>
  )
}
