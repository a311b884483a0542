import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { useFocusReturn } from './focus-return.ts'

type Props = {
  open: boolean
  onOpenChange(open: boolean): void
  title: string
  side?: 'left' | 'right'
  /** The width from 640 px on; on narrower screens it takes what there is. */
  className?: string
  children: ReactNode
}

/** A panel that slides in from the side of the page. */
export function Sheet({ open, onOpenChange, title, side = 'left', className = 'w-70', children }: Props) {
  const returnFocus = useFocusReturn(open)
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Radix.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          className={classNames(
            'float-in fixed inset-y-0 z-40 max-w-[calc(100vw-40px)] overflow-y-auto bg-raised text-ink shadow-float outline-none',
            side === 'left' ? 'left-0' : 'right-0',
            className,
          )}
        >
          <Radix.Title className="sr-only">{title}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
