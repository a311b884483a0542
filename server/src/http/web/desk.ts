import type { FastifyRequest } from 'fastify'
import type { Visitor } from '../../accounts/visits.ts'
import type { Answer } from '../../answer.ts'
import type { Asker } from './account-handlers.ts'
import type { Desk } from './desk-handlers.ts'
import { visitors } from './enter.ts'
import type { Parts } from './web-parts.ts'
import type { WebRequest } from './web-request.ts'

const USER_AGENT_MAX = 500

/** The desk for one request. */
export function deskFor(request: FastifyRequest, plain: WebRequest, parts: Parts): Desk {
  const { cookie, 'user-agent': user_agent } = request.headers
  const visitor = visitors.get(request)
  const asker = askerOf(visitor)
  return {
    ...parts.web,
    visitor,
    now: parts.now(),
    behind: (work) => {
      work.then(
        (answer) => {
          if (answer.bug !== undefined)
            parts.logger.error({ request_id: request.id, bug: answer.bug }, 'A request failed inside.')
          post(answer, parts)
        },
        (error: unknown) =>
          parts.logger.error({ request_id: request.id, bug: String(error) }, 'A request failed inside.'),
      )
    },
    caller: { cookie, user_agent: user_agent?.slice(0, USER_AGENT_MAX), address: request.ip },
    account: (handler, lane) =>
      parts.perform({ surface: 'account', lane, asker, request: { ...plain, handler }, request_id: request.id }),
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
