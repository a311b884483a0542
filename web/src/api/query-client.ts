import { KithError } from '@kith/sdk'
import { QueryClient } from '@tanstack/react-query'

const RETRIES = 2

/** Lists render from what is kept and refresh quietly; only what may pass by itself is tried again. */
export const queryClient = new QueryClient({
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
