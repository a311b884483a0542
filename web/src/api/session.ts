import type { SessionAnswer, Start } from '@kith/contract/app/session'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { setFormats } from '../format/formats.ts'
import { callForData, dataQuery } from './call.ts'

export type Membership = SessionAnswer['workspaces'][number]

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

export const startQuery = dataQuery<Start>(['start'], '/start')

export function signOut(): Promise<unknown> {
  return callForData('POST', '/sign-out', { body: {} })
}

/**
 * The part of the URL before `/v1` for API clients: the installation's address, or its API domain.
 */
export function useApiAddress(): string {
  const { data } = useQuery({ ...startQuery, staleTime: Number.POSITIVE_INFINITY })
  return data?.api_url ?? `${window.location.origin}/api`
}

/** Where programs find the MCP server. */
export function useMcpServerAddress(): string {
  const { data } = useQuery({ ...startQuery, staleTime: Number.POSITIVE_INFINITY })
  return data?.mcp_url ?? `${window.location.origin}/mcp`
}
