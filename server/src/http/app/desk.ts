import type { FastifyRequest } from 'fastify'
import type { Visitor } from '../../accounts/visits.ts'
import type { Answer } from '../../calls/answer.ts'
import type { Lane } from '../../calls/call.ts'
import type { AccountHandlerName, Asker } from './account-handlers.ts'
import type { Desk } from './desk-parts.ts'
import { visitors } from './enter.ts'
import { signInDesk } from './sign-in-desk.ts'
import type { Parts } from './web-parts.ts'
import type { WebRequest } from './web-request.ts'

const USER_AGENT_MAX = 500

/** The desk for one request. */
export function deskFor(request: FastifyRequest, plain: WebRequest, parts: Parts): Desk {
  const { cookie, 'user-agent': user_agent } = request.headers
  const visitor = visitors.get(request)
  const asker = askerOf(visitor)
  const caller = { cookie, user_agent: user_agent?.slice(0, USER_AGENT_MAX), address: request.ip }
  const behind: Desk['behind'] = (work) => {
    work.then(
      (answer) => {
        if (answer.bug !== undefined)
          parts.logger.error({ request_id: request.id, bug: answer.bug }, 'A request failed inside.')
        post(answer, parts)
      },
      (error: unknown) =>
        parts.logger.error({ request_id: request.id, bug: String(error) }, 'A request failed inside.'),
    )
  }
  const account = (handler: AccountHandlerName, lane: Lane, params = plain.params) => {
    const own = { ...plain, params, handler }
    return parts.perform({ surface: 'account', lane, asker, request: own, request_id: request.id })
  }
  const perform = (handler: AccountHandlerName, params: WebRequest['params']) => account(handler, 'write', params)
  return {
    ...parts.web,
    ...signInDesk(parts, { caller, visitor, behind, perform }),
    visitor,
    now: parts.now(),
    behind,
    caller,
    account: (handler, lane) => account(handler, lane),
  }
}

export function askerOf(visitor: Visitor | undefined): Asker {
  return visitor ? { user_id: visitor.user_id, session_id: visitor.session_id } : null
}

/** Sends what an operation wants to be mailed. Nobody waits for it, and its text is in no log. */
export function post({ aside }: Answer, { web, logger }: Parts): void {
  for (const letter of aside?.letters ?? []) {
    web
      .sendMail?.(letter)
      .catch((error: unknown) => logger.error({ error: String(error) }, 'A mail could not be sent.'))
  }
}
