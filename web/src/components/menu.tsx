import { ChevronRight } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { floatLook } from './popover.tsx'
import { Keys } from './tooltip.tsx'

export const Menu = Radix.Root
export const MenuTrigger = Radix.Trigger
export const SubMenu = Radix.Sub

const itemLook =
  'flex min-h-7 items-center gap-2 rounded-sm px-2 py-1 text-sm outline-none select-none ' +
  'data-highlighted:bg-hover data-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint'

export function MenuContent({ className, align = 'start', ...rest }: ComponentProps<typeof Radix.Content>) {
  return (
    <Radix.Portal>
      <Radix.Content
        align={align}
        sideOffset={4}
        collisionPadding={8}
        className={classNames(
          floatLook,
          'max-h-(--radix-dropdown-menu-content-available-height) min-w-44 overflow-y-auto p-1',
          className,
        )}
        {...rest}
      />
    </Radix.Portal>
  )
}

export function MenuItem(
  props: ComponentProps<typeof Radix.Item> & { icon?: ReactNode; keys?: string; danger?: boolean },
) {
  const { icon, keys, danger, className, children, ...rest } = props
  return (
    <Radix.Item className={classNames(itemLook, danger && 'text-danger [&_svg]:text-danger', className)} {...rest}>
      {icon}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {keys && <Keys keys={keys} />}
    </Radix.Item>
  )
}

export function SubMenuTrigger({ icon, children }: { icon?: ReactNode; children: ReactNode }) {
  return (
    <Radix.SubTrigger className={classNames(itemLook, 'data-[state=open]:bg-hover')}>
      {icon}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      <ChevronRight />
    </Radix.SubTrigger>
  )
}

export function SubMenuContent({ className, ...rest }: ComponentProps<typeof Radix.SubContent>) {
  return (
    <Radix.Portal>
      <Radix.SubContent
        sideOffset={2}
        collisionPadding={8}
        className={classNames(floatLook, 'min-w-40 p-1', className)}
        {...rest}
      />
    </Radix.Portal>
  )
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2 pt-1.5 pb-1 text-xs text-faint">{children}</Radix.Label>
}

export function MenuLine() {
  return <Radix.Separator className="-mx-1 my-1 h-px bg-line" />
}
