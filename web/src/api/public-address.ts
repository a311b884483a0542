import { useQuery } from '@tanstack/react-query'
import { startQuery } from './session.ts'

/**
 * What stands before `/v1` for callers outside: the installation's own address, or the domain that it has for the API.
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
