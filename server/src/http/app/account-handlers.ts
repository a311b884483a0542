import { acceptInvitation, readInvitation } from '../../accounts/invitations.ts'
import { readConsentRequest } from '../../accounts/oauth/consent.ts'
import { updateFormats, updateTimeZone } from '../../accounts/parse-account.ts'
import { removePicture, updatePicture } from '../../accounts/pictures.ts'
import { addressNotice, changeEmailMail, confirmationMail, confirmEmail } from '../../accounts/sign-in/change-email.ts'
import {
  disconnectProvider,
  readFactors,
  removeCodes,
  removePasskey,
  renamePasskey,
} from '../../accounts/sign-in/factors.ts'
import { resetMail, resetPassword } from '../../accounts/sign-in/password-links.ts'
import { endOtherSessions, endSession, listSessions, readSession } from '../../accounts/sign-in/sessions.ts'
import { noteSignInEvent } from '../../accounts/sign-in/sign-in-events.ts'
import { createOwnWorkspace, updateProfile } from '../../accounts/who-am-i.ts'
import { enterAsMember, withSource } from '../../accounts/workspace.ts'
import { setUp } from '../../accounts/workspaces.ts'
import type { Answer, Effect } from '../../calls/answer.ts'
import { readUnsubscription, unsubscribe } from '../../mails/unsubscribe.ts'
import type { Mail } from '../../outbound/mail.ts'
import { loadFirstSample } from '../../sample/load.ts'
import { type AccountHandler, answerData, done } from './web-request.ts'

export type AccountEndpoint = keyof typeof accountEndpoints
export type AccountHandlerName = keyof typeof accountHandlers

/** The operations of a user outside of any workspace, by endpoint. */
export const accountEndpoints = {
  'GET /factors': async ({ engine }, { user, site }) => answerData(await readFactors(engine.db, user, site.provider)),
  'PATCH /factors/passkeys/:id': async (runtime, { user, id, body: input }) =>
    answerData(await renamePasskey(runtime, user, { id, input })),
  'DELETE /factors/passkeys/:id': async (runtime, { user, id }) => answerData(await removePasskey(runtime, user, id)),
  'DELETE /factors/provider': async (runtime, { user }) => answerData(await disconnectProvider(runtime, user)),
  'PATCH /profile': async (runtime, { user, body }) => answerData(await updateProfile(runtime, user, body)),
  'PUT /formats': async (runtime, { user, body }) => answerData(await updateFormats(runtime, user.user_id, body)),
  'PUT /time-zone': async (runtime, { user, body }) => answerData(await updateTimeZone(runtime, user.user_id, body)),
  'PUT /picture': async (runtime, { user, body }) => answerData(await updatePicture(runtime, user, body)),
  'DELETE /picture': async (runtime, { user }) => answerData(await removePicture(runtime, user)),
  'GET /sessions': async (runtime, { user, site }) => answerData(await listSessions(runtime, user, site.idle_hours)),
  'POST /sessions/end-others': async (runtime, { user }) => answerData(await endOtherSessions(runtime, user)),
  'DELETE /sessions/:id': async (runtime, { user, id }) => answerData(await endSession(runtime, user, id)),
  'POST /workspaces': async (runtime, { user, body: input, site: { workspace_policy: policy } }) =>
    answerData(await createOwnWorkspace(runtime, user, { input, policy }), 201),
  'GET /oauth/consent': async (runtime, { query }) => answerData(await readConsentRequest(runtime, query)),
} satisfies Record<string, AccountHandler>

/** All account handlers, including the database parts of session handlers, which have no route. */
export const accountHandlers = {
  ...accountEndpoints,
  'set-up': async (runtime, { body }) => {
    const { user, workspace, sample } = await setUp(runtime, body)
    if (sample) await loadFirstSample(withSource(await enterAsMember(runtime, workspace.slug, user.id), 'sample'))
    return { ...answerData({ slug: workspace.slug }, 201), effects: [knowing(user)] }
  },
  session: async (runtime, { user, site }) => answerData(await readSession(runtime, user, site.workspace_policy)),
  'forgot-password': async (runtime, { site, body }) => withMail(done, await resetMail(runtime, site.app_url, body)),
  'reset-password': async (runtime, { body: input, site: { provider } }) => {
    const reset = await resetPassword(runtime, { input, provider })
    return reset ? withMail({ ...done, effects: [knowing(reset)] }, reset.notice) : done
  },
  'send-confirmation': async (runtime, { site, user }) =>
    withMail(done, await confirmationMail(runtime, site.app_url, user.user_id)),
  'change-email': async (runtime, { site: { app_url }, user: { user_id }, body: input }) =>
    withMail(done, await changeEmailMail(runtime, { app_url, user_id, input })),
  'confirm-email': async (runtime, { user, body }) => {
    const changed = await confirmEmail(runtime, user.user_id, body)
    if (!changed) return done
    return { ...done, effects: [{ kind: 'mail', mail: addressNotice(changed) }, knowing(changed.user)] }
  },
  invitation: async (runtime, { params: { token = '' } }) => answerData(await readInvitation(runtime, token)),
  'accept-invitation': async (runtime, { params: { token = '' }, body: input, holder, site: { mail, app_url } }) => {
    const { slug, account } = await acceptInvitation(runtime, holder, { token, input, mail })
    if (account === undefined) return answerData({ slug })
    const message = mail ? await confirmationMail(runtime, app_url, account.id) : undefined
    return withMail({ ...answerData({ slug }), effects: [knowing(account)] }, message)
  },
  unsubscription: async (runtime, { params: { token = '' } }) => answerData(await readUnsubscription(runtime, token)),
  unsubscribe: async (runtime, { params: { token = '' } }) => answerData(await unsubscribe(runtime, token)),
  'remove-codes': async (runtime, { user }) => answerData(await removeCodes(runtime, user)),
  'note-sign-in': async (runtime, { event }) => answerData(event && (await noteSignInEvent(runtime, event))),
} satisfies Record<string, AccountHandler>

function withMail(answer: Answer, mail: Mail | undefined): Answer {
  return mail ? { ...answer, effects: [...(answer.effects ?? []), { kind: 'mail', mail }] } : answer
}

function knowing({ email }: { email: string }): Effect {
  return { kind: 'account_known', email }
}
