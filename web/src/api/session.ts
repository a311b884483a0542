import type { Role } from '@kith/contract/abilities'
import { queryOptions } from '@tanstack/react-query'
import { callForData } from './call.ts'

export type Membership = { id: string; slug: string; name: string; role: Role }

export type Session = {
  user: { id: string; name: string; email: string }
  workspaces: Membership[]
  session_id: string
}

/** What the service tells everybody about itself. */
export type Start = {
  needs_set_up: boolean
  signed_in: boolean
  hosted: boolean
  mail: boolean
  version: string
  /** What stands before `/v1` of the public API. */
  api_url?: string
}

/** Who is signed in. Fails with `unauthenticated` when nobody is. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => callForData<Session>('GET', '/session', { signal }),
  staleTime: 5 * 60_000,
})

export const startQuery = queryOptions({
  queryKey: ['start'],
  queryFn: ({ signal }) => callForData<Start>('GET', '/start', { signal }),
})

export function signIn(input: { email: string; password: string }): Promise<unknown> {
  return callForData('POST', '/sign-in', { body: input })
}

export function signOut(): Promise<unknown> {
  return callForData('POST', '/sign-out', { body: {} })
}
