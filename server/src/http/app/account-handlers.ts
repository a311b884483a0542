import { refuse } from '@kith/contract/refusal'
import { acceptInvitation, readInvitation } from '../../accounts/accept-invitation.ts'
import { enterAsMember, withSource } from '../../accounts/enter-workspace.ts'
import { readConsentRequest } from '../../accounts/oauth/consent.ts'
import { createOwnWorkspace, updateProfile } from '../../accounts/own-account.ts'
import { setUp } from '../../accounts/set-up.ts'
import { resetMail, resetPassword } from '../../accounts/sign-in/password-links.ts'
import { readSession } from '../../accounts/sign-in/read-session.ts'
import { endOtherSessions, endSession, listSessions, type SessionHolder } from '../../accounts/sign-in/sessions.ts'
import { confirmationMail, confirmEmail } from '../../accounts/sign-in/verify-email.ts'
import type { Answer } from '../../calls/answer.ts'
import { loadFirstSample } from '../../sample/first.ts'
import type { Runtime } from '../../scope/scope.ts'
import { factorAccountHandlers } from './factor-account-handlers.ts'
import { answerData, bodyOf, done, paramOf, type WebRequest } from './web-request.ts'

/** Who asks: a user in a session, or nobody yet. */
export type Asker = SessionHolder | null

export type AccountRequest = WebRequest & { handler: AccountHandlerName }

export type AccountHandlerName = keyof typeof accountHandlers

/** What a person does outside of any workspace. */
export const accountHandlers = {
  'set-up': async (runtime: Runtime, _asker: Asker, request: WebRequest): Promise<Answer> => {
    const { user, workspace, sample } = await setUp(runtime, bodyOf(request))
    if (sample) await loadFirstSample(withSource(await enterAsMember(runtime, workspace.slug, user.id), 'sample'))
    return { ...answerData({ slug: workspace.slug }, 201), aside: { account: user.email } }
  },
  session: async (runtime, asker, request) =>
    answerData(await readSession(runtime, known(asker), request.site.workspace_policy)),
  'update-profile': async (runtime, asker, request) =>
    answerData(await updateProfile(runtime, known(asker), bodyOf(request))),
  sessions: async (runtime, asker, request) =>
    answerData(await listSessions(runtime, known(asker), request.site.idle_hours)),
  'end-session': async (runtime, asker, request) => {
    await endSession(runtime, known(asker), paramOf(request, 'id'))
    return done
  },
  'end-other-sessions': async (runtime, asker) => {
    await endOtherSessions(runtime, known(asker))
    return done
  },
  'create-workspace': async (runtime, asker, request) =>
    answerData(
      await createOwnWorkspace(runtime, known(asker), {
        input: bodyOf(request),
        policy: request.site.workspace_policy,
      }),
      201,
    ),
  'forgot-password': async (runtime, _asker, request) => {
    const message = await resetMail(runtime, request.site.app_url, bodyOf(request))
    return { ...done, aside: { mails: message ? [message] : [] } }
  },
  'reset-password': async (runtime, _asker, request) => {
    return { ...done, aside: { reset: await resetPassword(runtime, bodyOf(request)) } }
  },
  'send-confirmation': async (runtime, asker, request) => {
    const message = await confirmationMail(runtime, request.site.app_url, known(asker).user_id)
    return { ...done, aside: { mails: message ? [message] : [] } }
  },
  'confirm-email': async (runtime, asker, request) => {
    await confirmEmail(runtime, known(asker).user_id, bodyOf(request))
    return done
  },
  invitation: async (runtime, _asker, request) => answerData(await readInvitation(runtime, paramOf(request, 'token'))),
  'accept-invitation': async (runtime, asker, request) => {
    const { mail, app_url } = request.site
    const taken = { token: paramOf(request, 'token'), input: bodyOf(request), mail }
    const { slug, account } = await acceptInvitation(runtime, asker, taken)
    if (account === undefined) return answerData({ slug })
    const message = mail ? await confirmationMail(runtime, app_url, account.id) : undefined
    return { ...answerData({ slug }), aside: { account: account.email, mails: message ? [message] : [] } }
  },
  ...factorAccountHandlers,
  'consent-request': async (runtime, _asker, request) => answerData(await readConsentRequest(runtime, request.query)),
} satisfies Record<string, (runtime: Runtime, asker: Asker, request: WebRequest) => Promise<Answer>>

function known(asker: Asker): SessionHolder {
  return asker ?? refuse({ kind: 'unauthenticated' })
}
