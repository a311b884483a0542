import { refuse } from '@kith/contract/refusal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { admitSession, type SessionUser } from '../../accounts/sign-in/sessions.ts'
import type { Site, WebRequest } from '../../calls/call.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import { MCP_PATH } from '../mcp-route.ts'
import type { AppParts } from '../parts.ts'
import { refuseSpent } from '../pay.ts'
import { sentBody } from '../wire/receive-bodies.ts'
import { hasGuide } from '../wire/web-files.ts'

/** All checks before the body is read, except those of the workspace. */
export async function authorizeSession(
  request: FastifyRequest,
  parts: AppParts,
  open: 'anyone' | 'user',
): Promise<SessionUser | undefined> {
  requireSameSite(request, parts)
  const now = parts.now()
  const sessionUser = await parts.web.findSessionUser({
    cookie: request.headers.cookie,
    slug: slugOf(request) ?? null,
    now,
  })
  if (!sessionUser) return open === 'anyone' ? undefined : refuse({ kind: 'unauthenticated' })
  request.sessionUser = sessionUser
  request.caller = {
    workspace_id: sessionUser.role === null ? null : sessionUser.workspace_id,
    user_id: sessionUser.user_id,
  }
  parts.web.noteSessionUse(sessionUser, now)
  return sessionUser
}

/** Like `authorizeSession`, with the workspace in the path. */
export async function authorizeMember(
  request: FastifyRequest,
  wanted: Pick<Parameters<typeof admitSession>[1], 'needed' | 'whilePaused'> & {
    /** Gets the headers of the user's rate limit. Without it the request does not count towards the limit. */
    reply?: FastifyReply
  },
  parts: AppParts,
): Promise<ScopeFacts> {
  const sessionUser = (await authorizeSession(request, parts, 'user')) ?? refuse({ kind: 'unauthenticated' })
  const { hosted, app_url } = parts
  const { reply, ...admission } = wanted
  if (reply) await spendOfUser(sessionUser, reply, parts)
  return admitSession(sessionUser, { ...admission, slug: slugOf(request) ?? '', hosted, app_url, now: parts.now() })
}

/** Counts a request towards the limit of its user, in all sessions and workspaces together. */
export async function spendOfUser({ user_id }: SessionUser, reply: FastifyReply, { web }: AppParts): Promise<void> {
  const spent = await web.spendOfUser(user_id)
  refuseSpent(reply, spent)
}

function slugOf(request: FastifyRequest): string | undefined {
  return paramsOf(request).slug
}

function paramsOf(request: FastifyRequest): Record<string, string> {
  // Every parameter in our paths is a string.
  return request.params as Record<string, string>
}

const APP_HEADER = 'x-kith-app'

const SAFE = new Set(['GET', 'HEAD'])

/**
 * Refuses requests that another site could make a browser send. A form cannot set the header, and a script of another
 * origin needs CORS permission, which we never give. The origin headers of browsers must agree.
 */
function requireSameSite(request: FastifyRequest, { app_url }: { app_url: string }): void {
  if (SAFE.has(request.method)) return
  const { origin, 'sec-fetch-site': site, [APP_HEADER]: mark } = request.headers
  if (mark !== '1') refuseForeign('Send the header X-Kith-App: 1.')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') refuseForeign('It came from another site.')
  // The service may be reached by another name than the configured one. Then origin and host must agree.
  const own = [app_url, `${request.protocol}://${request.host}`]
  if (origin !== undefined && !own.includes(origin)) refuseForeign('It came from another site.')
}

function refuseForeign(why: string): never {
  refuse({ kind: 'forbidden', message: `This request was not made by the application. ${why}` })
}

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
