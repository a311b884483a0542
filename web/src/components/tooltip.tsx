import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

/** Says what a control does, and with which key. */
export function Tooltip(props: {
  text: ReactNode
  keys?: string
  side?: 'top' | 'bottom' | 'left' | 'right'
  children: ReactNode
}) {
  const { text, keys, side = 'bottom', children } = props
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

const isApple = /Mac|iP(hone|ad)/.test(navigator.userAgent)

/** A key hint such as `C` or `Mod+K`; `Mod` is the key that the reader's system uses for it. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span className="inline-flex gap-0.5">
      {keys.split('+').map((key) => (
        <kbd
          key={key}
          className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-sm border border-line bg-sunk px-1 font-sans text-[11px] leading-none text-quiet"
        >
          {key === 'Mod' ? (isApple ? '⌘' : 'Ctrl') : key}
        </kbd>
      ))}
    </span>
  )
}
