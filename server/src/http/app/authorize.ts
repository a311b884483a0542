import { refuse } from '@kith/contract/refusal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { admitVisitor, type Visitor } from '../../accounts/visits.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { AppParts } from '../parts.ts'
import { callers } from '../wire/observe-requests.ts'
import { setRateHeaders } from '../wire/rate-headers.ts'
import { requireSameSite } from './same-site.ts'

/** The visitor of a request, once its session is known. */
export const visitors = new WeakMap<FastifyRequest, Visitor>()

/** All checks before the body is read, except those of the workspace. */
export async function authorizeVisitor(
  request: FastifyRequest,
  parts: AppParts,
  open: 'anyone' | 'user',
): Promise<Visitor | undefined> {
  requireSameSite(request, parts)
  const now = parts.now()
  const visitor = await parts.web.findVisitor({ cookie: request.headers.cookie, slug: slugOf(request) ?? null, now })
  if (!visitor) return open === 'anyone' ? undefined : refuse({ kind: 'unauthenticated' })
  visitors.set(request, visitor)
  callers.set(request, { workspace_id: visitor.role === null ? null : visitor.workspace_id, user_id: visitor.user_id })
  parts.web.noteVisit(visitor, now)
  return visitor
}

type Wanted = Pick<Parameters<typeof admitVisitor>[1], 'needed' | 'whilePaused'> & {
  /** Gets the headers of the user's rate limit. Without it the request does not count towards the limit. */
  reply?: FastifyReply
}

/** Likewise with the workspace that the path names. */
export async function authorizeMember(request: FastifyRequest, wanted: Wanted, parts: AppParts): Promise<ScopeFacts> {
  const visitor = (await authorizeVisitor(request, parts, 'user')) ?? refuse({ kind: 'unauthenticated' })
  const { hosted, app_url } = parts
  const { reply, ...admission } = wanted
  if (reply) await spendOfUser(visitor, reply, parts)
  return admitVisitor(visitor, { ...admission, slug: slugOf(request) ?? '', hosted, app_url, now: parts.now() })
}

/** Counts a request towards the limit of its user, in all sessions and workspaces together. */
export async function spendOfUser({ user_id }: Visitor, reply: FastifyReply, { web }: AppParts): Promise<void> {
  const spent = await web.spendOfUser(user_id)
  if (spent) setRateHeaders(reply, spent)
}

function slugOf(request: FastifyRequest): string | undefined {
  return paramsOf(request).slug
}

export function paramsOf(request: FastifyRequest): Record<string, string> {
  // Every parameter in our paths is one text.
  return request.params as Record<string, string>
}
