import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Keys } from './keys.tsx'

type Props = {
  text: ReactNode
  keys?: string
  side?: 'top' | 'bottom' | 'left' | 'right'
  children: ReactNode
}

/** Says what a control does, and with which key. */
export function Tooltip({ text, keys, side = 'bottom', children }: Props) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="float-in z-50 flex max-w-80 items-center gap-2 rounded-md bg-raised px-2 py-1 text-xs whitespace-pre-line text-ink shadow-float"
        >
          {text}
          {keys && <Keys keys={keys} />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Once around the application: moving from one control to the next shows the next tooltip at once. */
export function TooltipRoom({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={450} skipDelayDuration={250}>
      {children}
    </Radix.Provider>
  )
}
