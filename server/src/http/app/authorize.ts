import { refuse } from '@kith/contract/refusal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { admitSession, type SessionUser } from '../../accounts/session-user.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { AppParts } from '../parts.ts'
import { callers } from '../wire/observe-requests.ts'
import { refuseSpent } from '../wire/rate-headers.ts'

/** The signed-in user of a request. */
export const sessionUsers = new WeakMap<FastifyRequest, SessionUser>()

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
  sessionUsers.set(request, sessionUser)
  callers.set(request, {
    workspace_id: sessionUser.role === null ? null : sessionUser.workspace_id,
    user_id: sessionUser.user_id,
  })
  parts.web.noteSessionUse(sessionUser, now)
  return sessionUser
}

type Wanted = Pick<Parameters<typeof admitSession>[1], 'needed' | 'whilePaused'> & {
  /** Gets the headers of the user's rate limit. Without it the request does not count towards the limit. */
  reply?: FastifyReply
}

/** Likewise with the workspace that the path names. */
export async function authorizeMember(request: FastifyRequest, wanted: Wanted, parts: AppParts): Promise<ScopeFacts> {
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

export function paramsOf(request: FastifyRequest): Record<string, string> {
  // Every parameter in our paths is one text.
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
  // The service may be reached by another name than the configured one: then origin and host agree.
  const own = [app_url, `${request.protocol}://${request.host}`]
  if (origin !== undefined && !own.includes(origin)) refuseForeign('It came from another site.')
}

function refuseForeign(why: string): never {
  refuse({ kind: 'forbidden', message: `This request was not made by the application. ${why}` })
}
