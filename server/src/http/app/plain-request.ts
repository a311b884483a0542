import type { FastifyRequest } from 'fastify'
import type { Site, WebRequest } from '../../calls/call.ts'
import { MCP_PATH } from '../mcp-addresses.ts'
import type { AppParts } from '../parts.ts'
import { sentBody } from '../wire/body.ts'
import { hasGuide } from '../wire/built-files.ts'
import { paramsOf } from './authorize.ts'

/** A request of the application as plain data. */
export function plainRequest(request: FastifyRequest, parts: AppParts): WebRequest {
  const at = request.url.indexOf('?')
  const { app_url, api_domain, mcp_domain, hosted, workspace_policy } = parts
  const api_url = api_domain === undefined ? `${app_url}/api` : `https://${api_domain}`
  const mcp_url = mcp_domain === undefined ? `${app_url}${MCP_PATH}` : `https://${mcp_domain}`
  const mail = parts.web.sendMail !== undefined
  const site: Site = { app_url, api_url, mcp_url, hosted, mail, guide: hasGuide, workspace_policy, ...parts.web.site }
  return {
    params: paramsOf(request),
    query: at === -1 ? '' : request.url.slice(at + 1),
    body: sentBody(request),
    site,
  }
}
