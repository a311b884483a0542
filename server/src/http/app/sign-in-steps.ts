import type { SessionUser } from '../../accounts/session-user.ts'
import type { Answer } from '../../calls/answer.ts'
import type { AppParts } from '../parts.ts'
import type { AccountHandlerName } from './account-handlers.ts'
import type { Began, Failed, SessionContext } from './session-context.ts'

type Current = Pick<SessionContext, 'caller' | 'sessionUser' | 'inBackground'> & {
  /** Executes an account call with parameters that no request can send. */
  write(handler: AccountHandlerName, params: Readonly<Record<string, string>>): Promise<Answer>
}

type SignInSteps = Pick<
  SessionContext,
  'finish' | 'carryFactor' | 'markFactor' | 'noteFailure' | 'pendingUser' | 'passkeyHolder'
>

/** The steps around a sign-in that mark the session and log the attempt. */
export function signInSteps(
  { web, now }: AppParts,
  { caller, sessionUser, inBackground, write }: Current,
): SignInSteps {
  const { address, user_agent } = caller
  const place = { address, ...(user_agent === undefined ? {} : { user_agent }) }
  const begun = (cookies: readonly string[]) => sessionUserBy(cookies, { web, now })

  async function mark(cookies: readonly string[], factor: string | null): Promise<void> {
    const session = (await begun(cookies)) ?? sessionUser
    if (!session || session.second_factor === factor) return
    const { user_id, session_id } = session
    succeed(await write('mark-session', { user_id, session_id, ...(factor === null ? {} : { factor }) }))
  }

  return {
    async finish(cookies, { method, factor, rules = [] }: Began) {
      const session = await begun(cookies)
      if (!session) return false
      const { user_id, session_id } = session
      const counts = factor === 'trusted_device' && !(await web.asksForCodes(user_id)) ? null : factor
      const joins = JSON.stringify(rules)
      const event = { ...place, user_id, session_id, method, ...(counts === null ? {} : { factor: counts }), joins }
      succeed(await write('note-sign-in', event))
      return true
    },
    carryFactor: (cookies) => mark(cookies, sessionUser?.second_factor ?? null),
    markFactor: mark,
    noteFailure: (failed: Failed) => inBackground(write('note-failed-sign-in', { ...place, ...failed })),
    pendingUser: () => web.pendingUser(caller.cookie),
    passkeyHolder: (credentialId) => web.passkeyHolder(credentialId),
  }
}

/** The user whose session began with these cookies. */
export function sessionUserBy(
  cookies: readonly string[],
  { web, now }: Pick<AppParts, 'web' | 'now'>,
): Promise<SessionUser | undefined> {
  // As in a browser, the last cookie of a name wins: one response may set a session and clear it again.
  const kept = new Map(cookies.map((set) => nameAndValue(set)))
  const cookie = [...kept].map(([name, value]) => `${name}=${value}`).join('; ')
  return web.findSessionUser({ cookie, slug: null, now: now() })
}

function nameAndValue(set: string): [string, string] {
  const [pair = ''] = set.split(';')
  const at = pair.indexOf('=')
  return [pair.slice(0, at), pair.slice(at + 1)]
}

function succeed(answer: Answer): void {
  if (answer.status >= 300) throw new Error(`A sign-in could not be logged: ${answer.bug ?? answer.status}.`)
}
