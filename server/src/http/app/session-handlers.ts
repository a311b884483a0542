import { DAY_MS, SESSION_DAYS } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import { refuse, refuseValue } from '@kith/contract/refusal'
import { checkPassword } from '../../accounts/parse-account.ts'
import type { SessionUser } from '../../accounts/session-user.ts'
import type { Answer } from '../../calls/answer.ts'
import { readInput } from '../../scope/read-input.ts'
import { API_VERSION } from '../openapi/info.ts'
import { factorHandlers, requireOwner } from './factor-handlers.ts'
import type { SessionAnswer, SessionContext, SessionHandler } from './session-context.ts'
import { signInHandlers } from './sign-in-handlers.ts'
import { answerData, done } from './web-request.ts'

const NO_MAIL = 'This installation sends no mail. Ask its operator to verify your address (kith user verify).'

const NO_MAIL_CHANGE = 'This installation sends no mail, so that the new address cannot be confirmed.'

export type SessionEndpoint = keyof typeof sessionHandlers

/** Where sessions begin and end, by endpoint. */
export const sessionHandlers = {
  'GET /start': async ({ sessionUser, needsSetUp }, { site }) => {
    const { hosted, mail, guide, api_url, mcp_url, provider } = site
    const state = { needs_set_up: await needsSetUp(), signed_in: sessionUser !== undefined }
    return { answer: answerData({ ...state, hosted, mail, guide, version: API_VERSION, api_url, mcp_url, provider }) }
  },
  'POST /set-up': async (context, { body }) => {
    await context.spend('set-up')
    return signedInAfter(context, await context.account('set-up', 'write'), body)
  },
  'POST /sign-in': async (context, { body }) => {
    const credentials = readInput(body, (fields) => ({
      email: fields.text('email').trim(),
      password: fields.text('password'),
    }))
    const { email } = credentials
    const device = context.devices.find(context.caller.cookie, email, context.now)
    await context.spend('sign-in', { email, device })
    const cookies = await context.signIn.signIn(credentials, context.caller)
    if (!cookies) {
      context.noteFailure({ what: 'password', user: { email } })
      return refuseValue('email', 'The email address or the password is wrong.')
    }
    // A session has begun, or a code is needed first: then the cookies hold the challenge.
    const signedIn = await context.finish(cookies, { method: 'password', factor: 'trusted_device' })
    return { answer: answerData({ needs_code: !signedIn }), cookies: knownFrom(context, email, cookies) }
  },
  'POST /sign-out': async ({ signIn, caller }) => ({ answer: done, cookies: await signIn.signOut(caller) }),
  'GET /session': async ({ account, signIn, sessionUser, caller, now }) => {
    const answer = await account('session', 'read')
    return { answer, cookies: sessionUser && isDue(sessionUser, now) ? await signIn.renew(caller) : undefined }
  },
  'POST /password': async (context, { body }) => {
    const passwords = readInput(body, (fields) => {
      const sent = { currentPassword: fields.text('current_password'), newPassword: fields.text('new_password') }
      if (sent.newPassword !== '') checkPassword(sent.newPassword, fields.report, 'new_password')
      return sent
    })
    const { sessionUser, caller, signIn } = context
    // The session identifies the device, so that attempts of strangers do not lock out the user.
    const device = sessionUser && `session ${sessionUser.session_id}`
    await context.spend('sign-in', { email: sessionUser?.user_email, device })
    const cookies = await signIn.changePassword(passwords, caller)
    if (!cookies) return refuseValue('current_password', 'The current password is wrong.')
    await context.carryFactor(cookies)
    return { answer: done, cookies }
  },
  'POST /password/forgot': async (context, { site, body }) => {
    const email = readInput(body, (fields) => fields.text('email'))
    await context.spend('reset', { email })
    // Answered before anything is looked up: neither the words nor the time tell who has an account.
    if (site.mail) context.inBackground(context.account('forgot-password', 'write'))
    return { answer: done }
  },
  'POST /password/reset': async (context) => {
    await context.spend('reset')
    const answer = await context.account('reset-password', 'write')
    return { answer, cookies: knownFrom(context, answer.aside?.reset) }
  },
  'POST /email/send-confirmation': async (context, { site }) => {
    if (!site.mail) refuseValue('email', NO_MAIL)
    await context.spend('confirm', { email: context.sessionUser?.user_email })
    return { answer: await context.account('send-confirmation', 'write') }
  },
  'POST /email/confirm': async (context) => {
    await context.spend('confirm')
    const answer = await context.account('confirm-email', 'write')
    // The browser stays known, under the new address.
    return { answer, cookies: knownFrom(context, answer.aside?.readdressed) }
  },
  'POST /email/change': async (context, { site, body }) => {
    if (!site.mail) refuseValue('email', NO_MAIL_CHANGE)
    const password = readInput(body, (fields) => {
      fields.text('email')
      return fields.optionalText('password') ?? ''
    })
    await requireOwner(context, password)
    await context.spend('confirm', { email: context.sessionUser?.user_email })
    return { answer: await context.account('change-email', 'write') }
  },
  'GET /invitations/:token': async (context) => {
    await context.spend('invitation')
    return { answer: await context.account('invitation', 'read') }
  },
  'POST /invitations/:token/accept': async (context, { body }) => {
    await context.spend('invitation')
    return signedInAfter(context, await context.account('accept-invitation', 'write'), body)
  },
  'POST /oauth/consent': async ({ sessionUser, caller, settleConsent }, { body }) => {
    const known = sessionUser ?? refuse({ kind: 'unauthenticated' })
    return { answer: answerData({ url: await settleConsent(known, body, caller) }) }
  },
  ...signInHandlers,
  ...factorHandlers,
} satisfies Record<string, SessionHandler>

/** Begins a session for a new account, with the password that was chosen. */
async function signedInAfter(context: SessionContext, answer: Answer, sent: unknown): Promise<SessionAnswer> {
  const email = answer.aside?.account
  if (email === undefined || !isObject(sent) || typeof sent.password !== 'string') return { answer }
  const cookies = await context.signIn.signIn({ email, password: sent.password }, context.caller)
  if (!cookies) return { answer }
  await context.finish(cookies, { method: 'password', factor: null })
  return { answer, cookies: knownFrom(context, email, cookies) }
}

/** The cookies of a browser that sent the right password, and the one by which it is known from now on. */
function knownFrom({ devices, now }: SessionContext, email: string | undefined, cookies: string[] = []): string[] {
  return email === undefined ? cookies : [...cookies, devices.remember(email, now)]
}

/** A session that is used is lengthened once a day. */
function isDue({ expires_at }: SessionUser, now: Date): boolean {
  return Date.parse(expires_at) - now.getTime() < (SESSION_DAYS - 1) * DAY_MS
}
