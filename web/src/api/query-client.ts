import { KithError } from '@kith/sdk'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'

const RETRIES = 2

/** Lists render from what is kept and refresh quietly; only what may pass by itself is tried again. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: leaveIfSignedOut }),
  mutationCache: new MutationCache({ onError: leaveIfSignedOut }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      gcTime: 10 * 60_000,
      retry: (failures, error) => failures < RETRIES && mayPass(error),
      retryDelay: (failures) => 400 * 2 ** failures,
      refetchOnWindowFocus: true,
    },
  },
})

function mayPass(error: Error): boolean {
  return error instanceof KithError && (error.kind === 'unreachable' || error.kind === 'busy')
}

/** A session that has ended elsewhere, or has expired, is begun anew, and leads back to where one was. */
function leaveIfSignedOut(error: Error): void {
  const known = queryClient.getQueryData(['session']) !== undefined
  if (!known || !(error instanceof KithError) || error.kind !== 'unauthenticated') return
  queryClient.clear()
  const { pathname, search } = window.location
  window.location.assign(`/sign-in?${new URLSearchParams({ next: pathname + search })}`)
}
