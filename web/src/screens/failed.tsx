import { KithError } from '@kith/sdk'
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { Suspense } from 'react'
import { queryClient } from '../api/query-client.ts'
import { chunk } from '../components/chunk.tsx'
import { EmptyState, ErrorState } from '../components/states.tsx'
import { Entrance, EntranceLink } from './entrance/entrance.tsx'

/** For screens that could not be drawn at all. */
export function Failed({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = async () => {
    await queryClient.resetQueries({ predicate: (query) => query.state.status === 'error' })
    reset()
    await router.invalidate()
  }
  return (
    <div className="grid min-h-[60vh] content-center">
      <ErrorState error={error} onRetry={retry} />
    </div>
  )
}

/** For addresses at which there is nothing, or nothing that this person may see. */
export function NotFound() {
  return (
    <div className="grid min-h-full content-center">
      <EmptyState
        icon={Compass}
        title="There is nothing here"
        text="The address may be wrong, the record may have been deleted, or the workspace is not yours."
      >
        <Link to="/" className="inline-flex h-8 items-center rounded-md border border-edge px-3 text-sm hover:bg-hover">
          Go home
        </Link>
      </EmptyState>
    </div>
  )
}

/** For addresses outside of every screen. */
export function NotFoundPage() {
  return (
    <Entrance
      title="There is nothing here"
      text="The address may be wrong, the record may have been deleted, or the workspace is not yours."
    >
      <EntranceLink to="/">Go home</EntranceLink>
    </Entrance>
  )
}

const HeldBack = chunk(async () => (await import('./entrance/held-back.tsx')).HeldBack)

/** A workspace that could not be opened. If it requires a second factor, the page helps with it. */
export function WorkspaceFailed(props: ErrorComponentProps) {
  const { error } = props
  if (!(error instanceof KithError) || error.reason === null) return <Failed {...props} />
  return (
    <Suspense fallback={null}>
      <HeldBack reason={error.reason} message={error.message} />
    </Suspense>
  )
}
