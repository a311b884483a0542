import type { Visitor } from '../../accounts/visits.ts'
import type { Answer } from '../../calls/answer.ts'
import type { AccountHandlerName } from './account-handlers.ts'
import type { Began, Desk, Failed } from './desk-parts.ts'
import type { Parts } from './web-parts.ts'

type Here = Pick<Desk, 'caller' | 'visitor' | 'behind'> & {
  /** Carries out a call of the account with parts that no request can send. */
  perform(handler: AccountHandlerName, params: Readonly<Record<string, string>>): Promise<Answer>
}

type SignInDesk = Pick<Desk, 'finish' | 'carryFactor' | 'markFactor' | 'noteFailure' | 'pendingUser' | 'passkeyHolder'>

/** What happens around a sign-in: the session is marked, and the log tells of it. */
export function signInDesk({ web, now }: Parts, { caller, visitor, behind, perform }: Here): SignInDesk {
  const { address, user_agent } = caller
  const place = { address, ...(user_agent === undefined ? {} : { user_agent }) }
  const begun = (cookies: readonly string[]) => visitorBy(cookies, { web, now })

  async function mark(cookies: readonly string[], factor: string | null): Promise<void> {
    const session = (await begun(cookies)) ?? visitor
    if (!session || session.second_factor === factor) return
    const { user_id, session_id } = session
    succeed(await perform('mark-session', { user_id, session_id, ...(factor === null ? {} : { factor }) }))
  }

  return {
    async finish(cookies, { method, factor, rules = [] }: Began) {
      const session = await begun(cookies)
      if (!session) return false
      const { user_id, session_id } = session
      const counts = factor === 'trusted_device' && !(await web.asksForCodes(user_id)) ? null : factor
      const joins = JSON.stringify(rules)
      const told = { ...place, user_id, session_id, method, ...(counts === null ? {} : { factor: counts }), joins }
      succeed(await perform('note-sign-in', told))
      return true
    },
    carryFactor: (cookies) => mark(cookies, visitor?.second_factor ?? null),
    markFactor: mark,
    noteFailure: (failed: Failed) => behind(perform('note-failed-sign-in', { ...place, ...failed })),
    pendingUser: () => web.pendingUser(caller.cookie),
    passkeyHolder: (credentialId) => web.passkeyHolder(credentialId),
  }
}

type Finding = Pick<Parts, 'web' | 'now'>

/** Whose session has begun with these cookies. */
export function visitorBy(cookies: readonly string[], { web, now }: Finding): Promise<Visitor | undefined> {
  // The last one of a name counts, as in a browser: a session may be set and taken back by one answer.
  const kept = new Map(cookies.map((set) => nameAndValue(set)))
  const cookie = [...kept].map(([name, value]) => `${name}=${value}`).join('; ')
  return web.findVisitor({ cookie, slug: null, now: now() })
}

function nameAndValue(set: string): [string, string] {
  const [pair = ''] = set.split(';')
  const at = pair.indexOf('=')
  return [pair.slice(0, at), pair.slice(at + 1)]
}

function succeed(answer: Answer): void {
  if (answer.status >= 300) throw new Error(`A sign-in could not be noted: ${answer.bug ?? answer.status}.`)
}
