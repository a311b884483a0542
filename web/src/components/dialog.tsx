import { X } from 'lucide-react'
import { Dialog as Radix, AlertDialog as RadixAlert } from 'radix-ui'
import { type ReactNode, useRef, useState } from 'react'
import { Button, type ButtonProps } from './button.tsx'
import { classNames } from './class-names.ts'
import { floatLook } from './popover.tsx'
import { isTyped } from './typed.ts'

/** A window over the page, with a title and a way out. Escape closes it, after a question if something was typed. */
export function Dialog(props: {
  open: boolean
  onOpenChange(open: boolean): void
  title: string
  /** Read out with the title; shown below it. */
  description?: string
  /** 480 px unless wide. */
  wide?: boolean
  /** Whether it closes without a question, because typed text is kept elsewhere or need not be kept. */
  closesAtOnce?: boolean
  children: ReactNode
}) {
  const { open, onOpenChange, title, description, wide = false, closesAtOnce = false, children } = props
  const content = useRef<HTMLDivElement>(null)
  const [asking, setAsking] = useState(false)
  const returnFocus = useFocusReturn(open)
  if (!open && asking) setAsking(false)
  const close = (next: boolean) => {
    // Escape a second time goes back to the form.
    if (!next && !closesAtOnce && content.current && isTyped(content.current)) setAsking(!asking)
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
 * The first input has the focus; without an input the window itself, so that Escape closes it.
 */
function focusFirstInput(event: Event): void {
  const { target } = event
  if (!(target instanceof HTMLElement)) return
  event.preventDefault()
  const input = target.querySelector<HTMLElement>('input, textarea')
  ;(input ?? target).focus()
}

/** Asks before typed text is lost. */
function Question({ onKeep, onDiscard }: { onKeep(): void; onDiscard(): void }) {
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
  return <div className="mt-5 flex flex-wrap justify-end gap-2 [&>button]:max-w-full">{children}</div>
}

/** Shows something that can be copied, or read once. */
export function NoticeDialog(props: { title: string; description: string; onClose(): void; children: ReactNode }) {
  const { title, description, onClose, children } = props
  return (
    <Dialog open onOpenChange={onClose} title={title} description={description}>
      {children}
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/**
 * Returns the focus to where it was when a window closes. Radix does so only for windows with a trigger. What the
 * window has begun, such as a new row, may have taken the focus already.
 */
export function useFocusReturn(open: boolean): (event: Event) => void {
  const before = useRef<HTMLElement>(undefined)
  const wasOpen = useRef(false)
  if (open && !wasOpen.current) before.current = focusedElement()
  wasOpen.current = open
  return (event) => {
    event.preventDefault()
    if (document.activeElement === document.body) before.current?.focus()
  }
}

/** The focused element. A menu closes when it opens a window, so for its items this is its button. */
function focusedElement(): HTMLElement | undefined {
  const menu = document.activeElement?.closest('[role="menu"]')
  const element = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : document.activeElement
  return element instanceof HTMLElement ? element : undefined
}

/** A panel that slides in from the side of the page. */
export function Sheet(props: {
  open: boolean
  onOpenChange(open: boolean): void
  title: string
  side?: 'left' | 'right'
  /** The width from 640 px on; narrower screens it fills. */
  className?: string
  children: ReactNode
}) {
  const { open, onOpenChange, title, side = 'left', className = 'w-70', children } = props
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

/** Asks before something that cannot simply be undone. */
export function Confirm(props: {
  open: boolean
  onOpenChange(open: boolean): void
  title: string
  /** What will happen, and whether it can be undone. */
  children: ReactNode
  action: string
  look?: 'danger' | 'primary'
  onConfirm(): void
}) {
  const { open, onOpenChange, title, children, action, look = 'danger', onConfirm } = props
  const returnFocus = useFocusReturn(open)
  return (
    <RadixAlert.Root open={open} onOpenChange={onOpenChange}>
      <RadixAlert.Portal>
        <RadixAlert.Overlay className="fixed inset-0 z-40 grid place-items-start justify-center bg-scrim p-2 sm:pt-[16vh]">
          <RadixAlert.Content
            onCloseAutoFocus={returnFocus}
            className={classNames(floatLook, 'w-[calc(100vw-16px)] max-w-110 p-5')}
          >
            <RadixAlert.Title className="text-base font-semibold">{title}</RadixAlert.Title>
            <RadixAlert.Description asChild>
              <div className="mt-2 text-sm text-quiet">{children}</div>
            </RadixAlert.Description>
            <div className="mt-5 flex justify-end gap-2">
              <RadixAlert.Cancel asChild>
                <Button>Cancel</Button>
              </RadixAlert.Cancel>
              <RadixAlert.Action asChild>
                <Button look={look} onClick={onConfirm}>
                  {action}
                </Button>
              </RadixAlert.Action>
            </div>
          </RadixAlert.Content>
        </RadixAlert.Overlay>
      </RadixAlert.Portal>
    </RadixAlert.Root>
  )
}

/** A button that asks before it acts. */
export function ConfirmButton(
  props: Omit<ButtonProps, 'onClick' | 'look'> & {
    question: string
    /** What will happen, and whether it can be undone. */
    text: ReactNode
    action: string
    look?: 'danger' | 'primary'
    onConfirm(): void
  },
) {
  const { question, text, action, look, onConfirm, ...button } = props
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button {...button} onClick={() => setAsking(true)} />
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={question}
        action={action}
        look={look}
        onConfirm={onConfirm}
      >
        {text}
      </Confirm>
    </>
  )
}
