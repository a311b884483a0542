import type { SecondFactor } from '@kith/contract/app/factors'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../accounts/identity.ts'
import type { SessionHolder, SessionUser } from '../../accounts/sign-in/sessions.ts'
import type { FailedSignIn, SignInEvent, SignInMethod } from '../../accounts/sign-in/sign-in-events.ts'
import type { Attempt } from '../../accounts/sign-in/sign-in-limit.ts'
import type { Answer } from '../../calls/answer.ts'
import type { Lane, WebRequest } from '../../calls/call.ts'
import type { DomainRule } from '../../config.ts'
import type { AppParts } from '../parts.ts'
import type { AccountHandlerName } from './account-handlers.ts'
import type { HandlerRequest } from './web-request.ts'

const USER_AGENT_MAX = 500

/** An answer, and the cookies to set. */
export type SessionAnswer = { answer: Answer; cookies?: string[] | undefined }

export type SessionContext = ReturnType<typeof newSessionContext>
export type SessionHandler = (context: SessionContext, request: HandlerRequest) => Promise<SessionAnswer>

/** The context of handlers that begin, end and change sessions, in addition to the request. */
export function newSessionContext(request: FastifyRequest, plain: WebRequest, parts: AppParts) {
  const { web, logger } = parts
  const { cookie, 'user-agent': sent } = request.headers
  const { sessionUser } = request
  const caller: Caller = { cookie, user_agent: sent?.slice(0, USER_AGENT_MAX), address: request.ip }
  const place = { address: caller.address, user_agent: caller.user_agent }

  /** Executes a call of the account handlers for the current user. Only the service itself passes an event. */
  function account(handler: AccountHandlerName, lane: Lane, event?: SignInEvent): Promise<Answer> {
    const holder = holderOf(sessionUser)
    const own = { ...plain, handler, event }
    return parts.execute({ surface: 'account', lane, holder, request: own, request_id: request.id })
  }

  /** Runs work that the answer does not wait for. */
  function inBackground(work: Promise<Answer>): void {
    const logBug = (bug: string) =>
      logger.error({ request_id: request.id, bug }, 'A request failed with an internal error.')
    work.then(
      (answer) => {
        if (answer.bug !== undefined) logBug(answer.bug)
      },
      (error: unknown) => logBug(String(error)),
    )
  }

  async function note(event: SignInEvent): Promise<void> {
    const { status, bug } = await account('note-sign-in', 'write', event)
    if (status >= 300) throw new Error(`A sign-in could not be logged: ${bug ?? status}.`)
  }

  /** Marks the session of these cookies, or the current one, with a second factor. */
  async function markFactor(cookies: readonly string[], factor: string | null): Promise<void> {
    const session = (await sessionUserBy(cookies, parts)) ?? sessionUser
    if (!session || session.second_factor === factor) return
    const { user_id, session_id } = session
    await note({ marked: { user_id, session_id, factor } })
  }

  return {
    ...web,
    sessionUser,
    caller,
    now: parts.now(),
    account,
    inBackground,
    /** Counts an attempt, and refuses it above the limit. */
    spend: (to: Attempt['to'], by: Pick<Attempt, 'email' | 'device'> = {}) =>
      web.spendAttempt({ to, ...by, address: caller.address }),
    /** Stores the factor of the session that began with these cookies and logs it; false if none began. */
    async finish(
      cookies: readonly string[],
      {
        method,
        factor,
        rules = [],
      }: { method: SignInMethod; factor: SecondFactor | null; rules?: readonly DomainRule[] },
    ): Promise<boolean> {
      const session = await sessionUserBy(cookies, parts)
      if (!session) return false
      const { user_id, session_id } = session
      const counts = factor === 'trusted_device' && !(await web.asksForCodes(user_id)) ? null : factor
      await note({ signedIn: { ...place, user_id, session_id, method, factor: counts, rules } })
      return true
    },
    markFactor,
    /** Stores the second factor of this session with the session that replaces it. */
    carryFactor: (cookies: readonly string[]) => markFactor(cookies, sessionUser?.second_factor ?? null),
    /** Logs a failed attempt in the background, so that the response time does not reveal whether an account exists. */
    noteFailure: (failed: Omit<FailedSignIn, keyof typeof place>) =>
      inBackground(account('note-sign-in', 'write', { failed: { ...place, ...failed } })),
  }
}

export function holderOf(sessionUser: SessionUser | undefined): SessionHolder | null {
  return sessionUser ? { user_id: sessionUser.user_id, session_id: sessionUser.session_id } : null
}

/** The user whose session began with these cookies. */
export function sessionUserBy(cookies: readonly string[], { web, now }: AppParts): Promise<SessionUser | undefined> {
  // As in a browser, the last cookie of a name wins: a response may set a session cookie and clear it again.
  const pairs = cookies.map((cookie) => cookie.split(';', 1)[0] ?? '')
  const cookie = [...new Map(pairs.map((pair) => [pair.split('=', 1)[0], pair])).values()].join('; ')
  return web.findSessionUser({ cookie, slug: null, now: now() })
}
