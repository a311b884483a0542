import type { SessionAnswer, Start } from '@kith/contract/app/session'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { setFormats } from '../format/formats.ts'
import { localTimeZone } from '../format/time-zone.ts'
import { callForData, dataQuery } from './call.ts'

export type Membership = SessionAnswer['workspaces'][number]

/** The signed-in user. Fails with `unauthenticated` without a session. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => {
    const session = await callForData<SessionAnswer>('GET', '/session', { signal })
    setFormats(session.formats)
    if (session.time_zone !== null) return session
    // The service cannot know it otherwise. If it is not stored now, it is with the next load.
    const time_zone = localTimeZone()
    await updateTimeZone(time_zone).catch(() => undefined)
    return { ...session, time_zone }
  },
  staleTime: 5 * 60_000,
})

/** In which time the service writes to the user. */
export function updateTimeZone(timeZone: string): Promise<unknown> {
  return callForData('PUT', '/time-zone', { body: { time_zone: timeZone } })
}

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
