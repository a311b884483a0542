import type { Config } from '../../config.ts'
import { oauthError } from './errors.ts'

/** The names of the MCP server that a client may give as `resource`. */
export function oauthTargets({ APP_URL, MCP_DOMAIN }: Pick<Config, 'APP_URL' | 'MCP_DOMAIN'>): string[] {
  const origins = MCP_DOMAIN === undefined ? [APP_URL] : [APP_URL, `https://${MCP_DOMAIN}`]
  return origins.flatMap((origin) => [origin, `${origin}/`, `${origin}/mcp`, `${origin}/mcp/`])
}

const MESSAGE = 'The parameter resource names something that this server gives no access to.'

export function refuseTarget(targets: readonly string[]): Response {
  return oauthError(400, { error: 'invalid_target', message: `${MESSAGE} Accepted: ${targets.join(', ')}.` })
}

/** The address for the redirect with the error (RFC 8707, 2.1). */
export function refusedTargetUrl(request: URL, issuer: string): string | undefined {
  const url = URL.parse(request.searchParams.get('redirect_uri') ?? '')
  if (url === null) return undefined
  url.searchParams.set('error', 'invalid_target')
  url.searchParams.set('error_description', MESSAGE)
  const state = request.searchParams.get('state')
  if (state !== null) url.searchParams.set('state', state)
  url.searchParams.set('iss', issuer)
  return url.href
}
