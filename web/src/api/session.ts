import type { SessionAnswer, Start } from '@kith/contract/app/session'
import { queryOptions } from '@tanstack/react-query'
import { callForData } from './call.ts'

export type Membership = SessionAnswer['workspaces'][number]

/** Who is signed in. Fails with `unauthenticated` when nobody is. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => callForData<SessionAnswer>('GET', '/session', { signal }),
  staleTime: 5 * 60_000,
})

export const startQuery = queryOptions({
  queryKey: ['start'],
  queryFn: ({ signal }) => callForData<Start>('GET', '/start', { signal }),
})

export function signOut(): Promise<unknown> {
  return callForData('POST', '/sign-out', { body: {} })
}
