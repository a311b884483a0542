import { useQuery } from '@tanstack/react-query'
import { startQuery } from './session.ts'

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
