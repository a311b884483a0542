import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { useFocusReturn } from './focus-return.ts'
import { floatLook } from './popover.tsx'
import { isTyped } from './typed.ts'

type Props = {
  open: boolean
  onOpenChange(open: boolean): void
  title: string
  /** Read out with the title; shown below it. */
  description?: string
  /** 480 px unless wide. */
  wide?: boolean
  /** Whether what is typed here is kept elsewhere, or need not be kept, so that nobody is asked before it closes. */
  forgets?: boolean
  children: ReactNode
}

/** A window over the page, with a title and a way out. Escape closes it, after a question if something was typed. */
export function Dialog({ open, onOpenChange, title, description, wide = false, forgets = false, children }: Props) {
  const content = useRef<HTMLDivElement>(null)
  const [asking, setAsking] = useState(false)
  const returnFocus = useFocusReturn(open)
  if (!open && asking) setAsking(false)
  const close = (next: boolean) => {
    // Escape a second time goes back to what was typed.
    if (!next && !forgets && content.current && isTyped(content.current)) setAsking(!asking)
    else onOpenChange(next)
  }
  return (
    <Radix.Root open={open} onOpenChange={close}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 grid place-items-start justify-center overflow-y-auto bg-scrim p-2 sm:pt-[12vh]">
          <Radix.Content
            ref={content}
            {...(description ? {} : { 'aria-describedby': undefined })}
            onOpenAutoFocus={focusFirstInput}
            onCloseAutoFocus={returnFocus}
            className={classNames(floatLook, 'relative w-[calc(100vw-16px)]', wide ? 'max-w-180' : 'max-w-120')}
          >
            <header className="px-5 pt-4 pr-14 pb-1">
              <Radix.Title className="text-base font-semibold">{title}</Radix.Title>
              {description && <Radix.Description className="mt-1 text-sm text-quiet">{description}</Radix.Description>}
            </header>
            <div className="px-5 pt-3 pb-5">{children}</div>
            {asking && <Question onKeep={() => setAsking(false)} onDiscard={() => onOpenChange(false)} />}
            {/* Last, so that the first thing to type into has the focus when it opens. */}
            <div className="absolute top-3.5 right-3.5">
              <Radix.Close asChild>
                <Button look="quiet" size="small" aria-label="Close" className="w-6 px-0">
                  <X aria-hidden />
                </Button>
              </Radix.Close>
            </div>
          </Radix.Content>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  )
}

/**
 * What is typed into has the focus; where there is nothing of the kind, the window itself, so that Escape closes it.
 */
function focusFirstInput(event: Event): void {
  const { target } = event
  if (!(target instanceof HTMLElement)) return
  event.preventDefault()
  const input = target.querySelector<HTMLElement>('input, textarea')
  ;(input ?? target).focus()
}

type QuestionProps = { onKeep(): void; onDiscard(): void }

/** Asks before what was typed is lost. */
function Question({ onKeep, onDiscard }: QuestionProps) {
  return (
    <div
      role="alert"
      className="sticky bottom-0 flex flex-wrap items-center justify-end gap-2 rounded-b-lg border-t border-line bg-danger-soft px-5 py-3 text-sm"
    >
      <p className="min-w-48 flex-1">Discard what you typed?</p>
      <Button size="small" autoFocus onClick={onKeep}>
        Keep editing
      </Button>
      <Button size="small" look="danger" onClick={onDiscard}>
        Discard
      </Button>
    </div>
  )
}

/** The buttons at the foot of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-5 flex justify-end gap-2">{children}</div>
}
