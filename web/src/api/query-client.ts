import { KithError } from '@kith/sdk'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { setSessionEnded, signInAgain } from '../components/sign-in-again.ts'
import { isFilled } from '../components/typed.ts'

const RETRIES = 2

/** Tell whether the user has something in this browser that is not saved. */
const checks: (() => boolean)[] = []

export function reportDrafts(check: () => boolean): void {
  checks.push(check)
}

const hasDrafts = () => checks.some((check) => check())

/** Lists render from the cache and refresh in the background. Only temporary failures are retried. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => void (noteSessionEnd(error, isFilled()) || askAgain(error, queryKey)),
    onSuccess: (_data, { queryKey }) => queryKey[0] !== 'start' && setSessionEnded(false),
  }),
  mutationCache: new MutationCache({
    onError: (error) => void noteSessionEnd(error, true),
    onSuccess: () => setSessionEnded(false),
  }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      gcTime: 10 * 60_000,
      retry: (failures, error) => failures < RETRIES && mayPass(error),
      retryDelay: (failures, error) => waitOf(error) ?? 400 * 2 ** failures,
      refetchOnWindowFocus: true,
      refetchOnReconnect: true,
      // Without a network a request fails at once. Otherwise it would wait in silence until the browser is online.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

/** Of failed calls, those that succeed when they are repeated later. */
const passing: ReadonlySet<string> = new Set(['unreachable', 'busy', 'rate_limited'])

function mayPass(error: Error): boolean {
  return error instanceof KithError && passing.has(error.kind) && (waitOf(error) ?? 0) <= LONGEST_WAIT_MS
}

const LONGEST_WAIT_MS = 60_000

/** How long the service asked to wait, in milliseconds. */
function waitOf(error: Error): number | undefined {
  return error instanceof KithError && error.retry_after !== null ? error.retry_after * 1000 : undefined
}

/**
 * A session that has ended leads to sign-in, and back to the page that was open. A page with drafts or a form stays:
 * the user signs in when they are ready.
 */
function noteSessionEnd(error: Error, stays: boolean): boolean {
  const known = queryClient.getQueryData(['session']) !== undefined
  if (!known || !(error instanceof KithError) || error.kind !== 'unauthenticated') return false
  if (stays || hasDrafts()) setSessionEnded(true)
  else {
    queryClient.clear()
    signInAgain()
  }
  return true
}

/** An open workspace may begin to require a second factor. After a reload, the page asks for it. */
function askAgain(error: Error, [slug]: readonly unknown[]): boolean {
  if (!(error instanceof KithError) || error.reason === null) return false
  if (queryClient.getQueryData([slug, 'workspace']) === undefined || isFilled()) return false
  queryClient.clear()
  window.location.reload()
  return true
}
