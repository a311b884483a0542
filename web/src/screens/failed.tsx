import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { queryClient } from '../api/query-client.ts'
import { ErrorState } from '../components/error-state.tsx'

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
