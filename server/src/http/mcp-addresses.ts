import type { FastifyRequest } from 'fastify'
import { isAt } from './wire/addresses.ts'

export type McpAddresses = { app_url: string; mcp_domain: string | undefined }

/** Where a request found the MCP server: below the application, or on a domain of its own. */
type McpAddress = { origin: string; path: '' | '/mcp' }

export const MCP_PATH = '/mcp'

export function mcpAddressOf(request: FastifyRequest, { app_url, mcp_domain }: McpAddresses): McpAddress {
  const path = request.originalUrl.split('?', 1)[0]?.replace(/\/$/, '') ?? ''
  if (mcp_domain === undefined || !isAt(mcp_domain, request.host.toLowerCase()))
    return { origin: app_url, path: MCP_PATH }
  return { origin: `https://${mcp_domain}`, path: path.endsWith(MCP_PATH) ? MCP_PATH : '' }
}

/** Only our own pages may call the MCP server from a browser. This prevents DNS rebinding. */
export function isOwnOrigin(origin: string, { app_url, mcp_domain }: McpAddresses): boolean {
  return origin === app_url || (mcp_domain !== undefined && origin === `https://${mcp_domain}`)
}

/** Where a client that was refused learns who gives out access. */
export function resourceMetadataUrl({ origin, path }: McpAddress): string {
  return `${origin}/.well-known/oauth-protected-resource${path}`
}
