import { Popover as Radix } from 'radix-ui'
import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

export const Popover = Radix.Root
export const PopoverTrigger = Radix.Trigger
export const PopoverAnchor = Radix.Anchor

/** The look of everything that floats above the page. */
export const floatLook = 'float-in z-40 rounded-lg bg-raised text-ink shadow-float outline-none'

export function PopoverContent({ className, align = 'start', ...rest }: ComponentProps<typeof Radix.Content>) {
  return (
    <Radix.Portal>
      <Radix.Content
        align={align}
        sideOffset={4}
        collisionPadding={8}
        className={classNames(
          floatLook,
          'max-h-(--radix-popover-content-available-height) max-w-[calc(100vw-16px)] overflow-y-auto',
          className,
        )}
        {...rest}
      />
    </Radix.Portal>
  )
}
