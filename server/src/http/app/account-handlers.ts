import { acceptInvitation, readInvitation } from '../../accounts/accept-invitation.ts'
import { enterAsMember, withSource } from '../../accounts/enter-workspace.ts'
import { updateFormats } from '../../accounts/formats.ts'
import { readConsentRequest } from '../../accounts/oauth/consent.ts'
import { createOwnWorkspace, updateProfile } from '../../accounts/own-account.ts'
import { removePicture, updatePicture } from '../../accounts/pictures.ts'
import { setUp } from '../../accounts/set-up.ts'
import { addressNotice } from '../../accounts/sign-in/change-address.ts'
import { changeEmailMail } from '../../accounts/sign-in/change-email.ts'
import {
  disconnectProvider,
  forgetCodes,
  readFactors,
  removePasskey,
  renamePasskey,
} from '../../accounts/sign-in/factors.ts'
import { resetMail, resetPassword } from '../../accounts/sign-in/password-links.ts'
import { endOtherSessions, endSession, listSessions, readSession } from '../../accounts/sign-in/sessions.ts'
import { noteSignInEvent } from '../../accounts/sign-in/sign-in-events.ts'
import { confirmationMail, confirmEmail } from '../../accounts/sign-in/verify-email.ts'
import type { Answer, Mail } from '../../calls/answer.ts'
import { loadFirstSample } from '../../sample/load.ts'
import { type AccountHandler, answerData, done } from './web-request.ts'

export type AccountEndpoint = keyof typeof accountEndpoints
export type AccountHandlerName = keyof typeof accountHandlers

/** What a user does outside of any workspace, by endpoint. */
export const accountEndpoints = {
  'GET /factors': async ({ engine }, { user, site }) => answerData(await readFactors(engine.db, user, site.provider)),
  'PATCH /factors/passkeys/:id': async (runtime, { user, id, body: input }) =>
    answerData(await renamePasskey(runtime, user, { id, input })),
  'DELETE /factors/passkeys/:id': async (runtime, { user, id }) => answerData(await removePasskey(runtime, user, id)),
  'DELETE /factors/provider': async (runtime, { user }) => answerData(await disconnectProvider(runtime, user)),
  'PATCH /profile': async (runtime, { user, body }) => answerData(await updateProfile(runtime, user, body)),
  'PUT /formats': async (runtime, { user, body }) => answerData(await updateFormats(runtime, user.user_id, body)),
  'PUT /picture': async (runtime, { user, body }) => answerData(await updatePicture(runtime, user, body)),
  'DELETE /picture': async (runtime, { user }) => answerData(await removePicture(runtime, user)),
  'GET /sessions': async (runtime, { user, site }) => answerData(await listSessions(runtime, user, site.idle_hours)),
  'POST /sessions/end-others': async (runtime, { user }) => answerData(await endOtherSessions(runtime, user)),
  'DELETE /sessions/:id': async (runtime, { user, id }) => answerData(await endSession(runtime, user, id)),
  'POST /workspaces': async (runtime, { user, body: input, site: { workspace_policy: policy } }) =>
    answerData(await createOwnWorkspace(runtime, user, { input, policy }), 201),
  'GET /oauth/consent': async (runtime, { query }) => answerData(await readConsentRequest(runtime, query)),
} satisfies Record<string, AccountHandler>

/** Those, and the parts of session handlers that use the database. No route leads to these directly. */
export const accountHandlers = {
  ...accountEndpoints,
  'set-up': async (runtime, { body }) => {
    const { user, workspace, sample } = await setUp(runtime, body)
    if (sample) await loadFirstSample(withSource(await enterAsMember(runtime, workspace.slug, user.id), 'sample'))
    return { ...answerData({ slug: workspace.slug }, 201), aside: { account: user.email } }
  },
  session: async (runtime, { user, site }) => answerData(await readSession(runtime, user, site.workspace_policy)),
  'forgot-password': async (runtime, { site, body }) => withMail(done, await resetMail(runtime, site.app_url, body)),
  'reset-password': async (runtime, { body }) => ({ ...done, aside: { reset: await resetPassword(runtime, body) } }),
  'send-confirmation': async (runtime, { site, user }) =>
    withMail(done, await confirmationMail(runtime, site.app_url, user.user_id)),
  'change-email': async (runtime, { site: { app_url }, user: { user_id }, body: input }) =>
    withMail(done, await changeEmailMail(runtime, { app_url, user_id, input })),
  'confirm-email': async (runtime, { user, body }) => {
    const changed = await confirmEmail(runtime, user.user_id, body)
    if (!changed) return done
    return { ...done, aside: { mails: [addressNotice(changed)], readdressed: changed.user.email } }
  },
  invitation: async (runtime, { params: { token = '' } }) => answerData(await readInvitation(runtime, token)),
  'accept-invitation': async (runtime, { params: { token = '' }, body: input, holder, site: { mail, app_url } }) => {
    const { slug, account } = await acceptInvitation(runtime, holder, { token, input, mail })
    if (account === undefined) return answerData({ slug })
    const message = mail ? await confirmationMail(runtime, app_url, account.id) : undefined
    const answer = withMail(answerData({ slug }), message)
    return { ...answer, aside: { ...answer.aside, account: account.email } }
  },
  'forget-codes': async (runtime, { user }) => answerData(await forgetCodes(runtime, user)),
  'note-sign-in': async (runtime, { event }) => answerData(event && (await noteSignInEvent(runtime, event))),
} satisfies Record<string, AccountHandler>

function withMail(answer: Answer, mail: Mail | undefined): Answer {
  return { ...answer, aside: { mails: mail ? [mail] : [] } }
}
