import { CloudAlert } from 'lucide-react'
import { Button } from './button.tsx'

type Props = { error: unknown; onRetry?: () => void }

/** Says what happened, how to find it in the log, and what to do. */
export function ErrorState({ error, onRetry }: Props) {
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
