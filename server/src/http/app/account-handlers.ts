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
import type { WebRequest } from '../../calls/call.ts'
import { loadFirstSample } from '../../sample/first.ts'
import type { Runtime } from '../../scope/scope.ts'
import { factorAccountHandlers } from './factor-account-handlers.ts'
import { answerData, bodyOf, done, paramOf } from './web-request.ts'

export type AccountHandlerName = keyof typeof accountHandlers

/** What a person does outside of any workspace. */
export const accountHandlers = {
  'set-up': async (runtime: Runtime, _holder: SessionHolder | null, request: WebRequest): Promise<Answer> => {
    const { user, workspace, sample } = await setUp(runtime, bodyOf(request))
    if (sample) await loadFirstSample(withSource(await enterAsMember(runtime, workspace.slug, user.id), 'sample'))
    return { ...answerData({ slug: workspace.slug }, 201), aside: { account: user.email } }
  },
  session: async (runtime, holder, request) =>
    answerData(await readSession(runtime, known(holder), request.site.workspace_policy)),
  'update-profile': async (runtime, holder, request) =>
    answerData(await updateProfile(runtime, known(holder), bodyOf(request))),
  sessions: async (runtime, holder, request) =>
    answerData(await listSessions(runtime, known(holder), request.site.idle_hours)),
  'end-session': async (runtime, holder, request) => {
    await endSession(runtime, known(holder), paramOf(request, 'id'))
    return done
  },
  'end-other-sessions': async (runtime, holder) => {
    await endOtherSessions(runtime, known(holder))
    return done
  },
  'create-workspace': async (runtime, holder, request) =>
    answerData(
      await createOwnWorkspace(runtime, known(holder), {
        input: bodyOf(request),
        policy: request.site.workspace_policy,
      }),
      201,
    ),
  'forgot-password': async (runtime, _holder, request) => {
    const message = await resetMail(runtime, request.site.app_url, bodyOf(request))
    return { ...done, aside: { mails: message ? [message] : [] } }
  },
  'reset-password': async (runtime, _holder, request) => {
    return { ...done, aside: { reset: await resetPassword(runtime, bodyOf(request)) } }
  },
  'send-confirmation': async (runtime, holder, request) => {
    const message = await confirmationMail(runtime, request.site.app_url, known(holder).user_id)
    return { ...done, aside: { mails: message ? [message] : [] } }
  },
  'confirm-email': async (runtime, holder, request) => {
    await confirmEmail(runtime, known(holder).user_id, bodyOf(request))
    return done
  },
  invitation: async (runtime, _holder, request) => answerData(await readInvitation(runtime, paramOf(request, 'token'))),
  'accept-invitation': async (runtime, holder, request) => {
    const { mail, app_url } = request.site
    const taken = { token: paramOf(request, 'token'), input: bodyOf(request), mail }
    const { slug, account } = await acceptInvitation(runtime, holder, taken)
    if (account === undefined) return answerData({ slug })
    const message = mail ? await confirmationMail(runtime, app_url, account.id) : undefined
    return { ...answerData({ slug }), aside: { account: account.email, mails: message ? [message] : [] } }
  },
  ...factorAccountHandlers,
  'consent-request': async (runtime, _holder, request) => answerData(await readConsentRequest(runtime, request.query)),
} satisfies Record<string, (runtime: Runtime, holder: SessionHolder | null, request: WebRequest) => Promise<Answer>>

function known(holder: SessionHolder | null): SessionHolder {
  return holder ?? refuse({ kind: 'unauthenticated' })
}
