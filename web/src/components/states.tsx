import { CloudAlert, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

export function EmptyState(props: {
  icon: LucideIcon
  title: string
  /** What belongs here. */
  text?: string
  /** The first step. */
  children?: ReactNode
}) {
  const { icon: Icon, title, text, children } = props
  return (
    <div className="mx-auto grid max-w-110 justify-items-center px-6 py-16 text-center">
      <Icon aria-hidden strokeWidth={1.5} className="size-8 text-faint" />
      <h2 className="mt-4 text-base font-medium">{title}</h2>
      {text && <p className="mt-1 text-sm text-quiet">{text}</p>}
      {children && <div className="mt-4 flex flex-wrap justify-center gap-2">{children}</div>}
    </div>
  )
}

/** Says what happened, how to find it in the log, and what to do. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { message, request_id } = told(error)
  return (
    <div role="alert" className="mx-auto grid max-w-120 justify-items-center px-6 py-16 text-center">
      <CloudAlert aria-hidden strokeWidth={1.5} className="size-8 text-danger" />
      <h2 className="mt-4 text-base font-medium">This could not be loaded</h2>
      <p className="mt-1 text-sm wrap-anywhere text-quiet">{message}</p>
      {request_id && <p className="mt-1 font-mono text-xs text-faint">Request {request_id}</p>}
      {onRetry && (
        <Button className="mt-4" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

function told(error: unknown): { message: string; request_id?: string } {
  if (!(error instanceof Error)) return { message: 'Something went wrong.' }
  const id = 'request_id' in error ? error.request_id : undefined
  return { message: error.message, ...(typeof id === 'string' ? { request_id: id } : {}) }
}

/** A placeholder while content loads. Give it the size of the content, to avoid layout shifts. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={classNames('shimmer h-3', className)} />
}
