import { AlertDialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { useFocusReturn } from './focus-return.ts'
import { floatLook } from './popover.tsx'

type Props = {
  open: boolean
  onOpenChange(open: boolean): void
  title: string
  /** What will happen, and whether it can be undone. */
  children: ReactNode
  action: string
  look?: 'danger' | 'primary'
  onConfirm(): void
}

/** Asks before something that cannot simply be undone. What can be undone does not ask. */
export function Confirm({ open, onOpenChange, title, children, action, look = 'danger', onConfirm }: Props) {
  const returnFocus = useFocusReturn(open)
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 grid place-items-start justify-center bg-scrim p-2 sm:pt-[16vh]">
          <Radix.Content
            onCloseAutoFocus={returnFocus}
            className={classNames(floatLook, 'w-[calc(100vw-16px)] max-w-110 p-5')}
          >
            <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
            <Radix.Description asChild>
              <div className="mt-2 text-sm text-quiet">{children}</div>
            </Radix.Description>
            <div className="mt-5 flex justify-end gap-2">
              <Radix.Cancel asChild>
                <Button>Cancel</Button>
              </Radix.Cancel>
              <Radix.Action asChild>
                <Button look={look} onClick={onConfirm}>
                  {action}
                </Button>
              </Radix.Action>
            </div>
          </Radix.Content>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  )
}
