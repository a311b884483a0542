import { X } from 'lucide-react'
import { Toast as Radix } from 'radix-ui'
import { useStore } from '../store.ts'
import { classNames } from './class-names.ts'
import { closeToast, type Toast, toasts, undoToast } from './toast-store.ts'

/** The corner in which toasts appear; once around the application. */
export function Toasts() {
  return (
    <Radix.Provider swipeDirection="down" duration={8000}>
      {useStore(toasts).map((toast) => (
        <ToastCard key={toast.key} toast={toast} />
      ))}
      <Radix.Viewport className="fixed bottom-3 left-1/2 z-50 flex w-100 max-w-[calc(100vw-24px)] -translate-x-1/2 flex-col gap-2 outline-none" />
    </Radix.Provider>
  )
}

function ToastCard({ toast }: { toast: Toast }) {
  const { key, message, tone, link, undo } = toast
  const close = () => closeToast(key)
  return (
    <Radix.Root
      onOpenChange={(open) => !open && close()}
      className="float-in flex min-h-10 items-center gap-3 rounded-lg bg-raised py-1.5 pr-1 pl-3 text-sm shadow-float"
    >
      <Radix.Title
        title={message}
        className={classNames('line-clamp-3 min-w-0 flex-1 wrap-anywhere', tone === 'danger' && 'text-danger')}
      >
        {message}
      </Radix.Title>
      {link && (
        <Radix.Action altText={link.label} asChild>
          <a
            href={link.href}
            onClick={(event) => {
              event.preventDefault()
              link.open()
            }}
            className="h-7 shrink-0 rounded-md px-2 leading-7 font-medium text-accent hover:bg-hover"
          >
            {link.label}
          </a>
        </Radix.Action>
      )}
      {undo && (
        <Radix.Action
          altText="Undo"
          onClick={() => void undoToast(toast)}
          className="h-7 shrink-0 rounded-md px-2 font-medium text-accent hover:bg-hover"
        >
          Undo
        </Radix.Action>
      )}
      <Radix.Close
        aria-label="Dismiss"
        className="grid size-7 shrink-0 place-items-center rounded-md text-faint hover:bg-hover"
      >
        <X className="size-4" />
      </Radix.Close>
    </Radix.Root>
  )
}
