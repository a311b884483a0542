import type { SessionAnswer, Start } from '@kith/contract/app/session'
import { queryOptions } from '@tanstack/react-query'
import { setFormats } from '../format/formats.ts'
import { callForData } from './call.ts'

export type Membership = SessionAnswer['workspaces'][number]
export type SessionUser = SessionAnswer['user']

/** The signed-in user. Fails with `unauthenticated` without a session. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => {
    const session = await callForData<SessionAnswer>('GET', '/session', { signal })
    setFormats(session.formats)
    return session
  },
  staleTime: 5 * 60_000,
})

export const startQuery = queryOptions({
  queryKey: ['start'],
  queryFn: ({ signal }) => callForData<Start>('GET', '/start', { signal }),
})

export function signOut(): Promise<unknown> {
  return callForData('POST', '/sign-out', { body: {} })
}
