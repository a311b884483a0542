import { refuse } from '@kith/contract/refusal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { admitVisitor, type Visitor } from '../../accounts/visits.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import { callers } from '../wire/callers.ts'
import { tellRate } from '../wire/tell-rate.ts'
import { requireSameSite } from './same-site.ts'
import type { Parts } from './web-parts.ts'

/** Who made a request, as the checks before its body found out. */
export const visitors = new WeakMap<FastifyRequest, Visitor>()

/** All that is checked before the body is read, the workspace aside. */
export async function enter(
  request: FastifyRequest,
  parts: Parts,
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
  /** Tells what is left of the user's limit. Without it nothing is taken from that. */
  reply?: FastifyReply
}

/** Likewise with the workspace that the path names. */
export async function enterWorkspace(request: FastifyRequest, wanted: Wanted, parts: Parts): Promise<ScopeFacts> {
  const visitor = (await enter(request, parts, 'user')) ?? refuse({ kind: 'unauthenticated' })
  const { hosted, app_url } = parts
  const { reply, ...admission } = wanted
  if (reply) await spendOfUser(visitor, reply, parts)
  return admitVisitor(visitor, { ...admission, slug: slugOf(request) ?? '', hosted, app_url, now: parts.now() })
}

/** Takes a request from the bucket of its user, whatever the session and the workspace. */
export async function spendOfUser({ user_id }: Visitor, reply: FastifyReply, { web }: Parts): Promise<void> {
  const spent = await web.spendOfUser(user_id)
  if (spent) tellRate(reply, spent)
}

function slugOf(request: FastifyRequest): string | undefined {
  return paramsOf(request).slug
}

export function paramsOf(request: FastifyRequest): Record<string, string> {
  // The names in our paths stand for text, one each.
  return request.params as Record<string, string>
}
