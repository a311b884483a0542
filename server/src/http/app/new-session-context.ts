import type { FastifyRequest } from 'fastify'
import type { SessionUser } from '../../accounts/session-user.ts'
import type { SessionHolder } from '../../accounts/sign-in/sessions.ts'
import type { Answer } from '../../calls/answer.ts'
import type { Lane, WebRequest } from '../../calls/call.ts'
import type { AppParts } from '../parts.ts'
import type { AccountHandlerName } from './account-handlers.ts'
import { sessionUsers } from './authorize.ts'
import type { SessionContext } from './session-context.ts'
import { signInSteps } from './sign-in-steps.ts'

const USER_AGENT_MAX = 500

export function newSessionContext(request: FastifyRequest, plain: WebRequest, parts: AppParts): SessionContext {
  const { cookie, 'user-agent': user_agent } = request.headers
  const sessionUser = sessionUsers.get(request)
  const holder = holderOf(sessionUser)
  const caller = { cookie, user_agent: user_agent?.slice(0, USER_AGENT_MAX), address: request.ip }
  const logBug = (bug: string) => parts.logger.error({ request_id: request.id, bug }, 'A request failed inside.')
  const inBackground: SessionContext['inBackground'] = (work) => {
    work.then(
      (answer) => {
        if (answer.bug !== undefined) logBug(answer.bug)
        sendMails(answer, parts)
      },
      (error: unknown) => logBug(String(error)),
    )
  }
  const account = (handler: AccountHandlerName, lane: Lane, params = plain.params) => {
    const own = { ...plain, params, handler }
    return parts.execute({ surface: 'account', lane, holder, request: own, request_id: request.id })
  }
  const write = (handler: AccountHandlerName, params: WebRequest['params']) => account(handler, 'write', params)
  return {
    ...parts.web,
    ...signInSteps(parts, { caller, sessionUser, inBackground, write }),
    sessionUser,
    now: parts.now(),
    inBackground,
    caller,
    account: (handler, lane) => account(handler, lane),
  }
}

export function holderOf(sessionUser: SessionUser | undefined): SessionHolder | null {
  return sessionUser ? { user_id: sessionUser.user_id, session_id: sessionUser.session_id } : null
}

/** Sends the mail of an operation in the background. Its text is never logged. */
export function sendMails({ aside }: Answer, { web, logger }: AppParts): void {
  for (const mail of aside?.mails ?? []) {
    web.sendMail?.(mail).catch((error: unknown) => logger.error({ error: String(error) }, 'A mail could not be sent.'))
  }
}
