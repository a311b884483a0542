import { SESSION_DAYS } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import { refuse } from '@kith/contract/refusal'
import { checkPassword } from '../../accounts/parse-account.ts'
import type { SessionUser } from '../../accounts/session-user.ts'
import type { Answer } from '../../calls/answer.ts'
import type { WebRequest } from '../../calls/call.ts'
import { readInput } from '../../scope/read-input.ts'
import { API_VERSION } from '../openapi/info.ts'
import { factorHandlers } from './factor-handlers.ts'
import type { SessionAnswer, SessionContext } from './session-context.ts'
import { signInHandlers } from './sign-in-handlers.ts'
import { answerData, bodyOf, done } from './web-request.ts'

const DAY_MS = 86_400_000
const NO_MAIL = 'This installation sends no mail. Ask its operator to verify your address (kith user verify).'

export type SessionHandlerName = keyof typeof sessionHandlers

/** Where sessions begin and end. */
export const sessionHandlers = {
  start: async (
    { sessionUser, needsSetUp }: SessionContext,
    { site: { hosted, mail, api_url, mcp_url, provider } }: WebRequest,
  ): Promise<SessionAnswer> => {
    const state = { needs_set_up: await needsSetUp(), signed_in: sessionUser !== undefined }
    return { answer: answerData({ ...state, hosted, mail, version: API_VERSION, api_url, mcp_url, provider }) }
  },
  'set-up': async (context, request) => {
    await context.spendAttempt({ to: 'set-up', address: context.caller.address })
    return signedInAfter(context, await context.account('set-up', 'write'), bodyOf(request))
  },
  'sign-in': async (context, request) => {
    const credentials = readInput(bodyOf(request), (fields) => ({
      email: fields.text('email').trim(),
      password: fields.text('password'),
    }))
    const { email } = credentials
    const device = context.devices.find(context.caller.cookie, email, context.now)
    await context.spendAttempt({ to: 'sign-in', email, address: context.caller.address, device })
    const cookies = await context.signIn.signIn(credentials, context.caller)
    if (cookies) return afterPassword(context, email, cookies)
    context.noteFailure({ what: 'password', email })
    const message = 'The email address and the password do not belong together.'
    return refuse({ kind: 'invalid', issues: [{ path: 'email', message }] })
  },
  'sign-out': async ({ signIn, caller }) => ({ answer: done, cookies: await signIn.signOut(caller) }),
  session: async ({ account, signIn, sessionUser, caller, now }) => {
    const answer = await account('session', 'read')
    return { answer, cookies: sessionUser && isDue(sessionUser, now) ? await signIn.renew(caller) : undefined }
  },
  'change-password': async (context, request) => {
    const passwords = readInput(bodyOf(request), (fields) => {
      const sent = { currentPassword: fields.text('current_password'), newPassword: fields.text('new_password') }
      if (sent.newPassword !== '') checkPassword(sent.newPassword, fields.report, 'new_password')
      return sent
    })
    const { sessionUser, caller } = context
    // The session identifies the device, so that attempts of strangers do not lock out the user.
    const device = sessionUser && `session ${sessionUser.session_id}`
    await context.spendAttempt({ to: 'sign-in', email: sessionUser?.user_email, address: caller.address, device })
    const cookies = await context.signIn.changePassword(passwords, context.caller)
    if (cookies) {
      await context.carryFactor(cookies)
      return { answer: done, cookies }
    }
    const message = 'The current password is another one.'
    return refuse({ kind: 'invalid', issues: [{ path: 'current_password', message }] })
  },
  'forgot-password': async (context, request) => {
    const { mail } = request.site
    const email = readInput(bodyOf(request), (fields) => fields.text('email'))
    await context.spendAttempt({ to: 'reset', email, address: context.caller.address })
    // Answered before anything is looked up: neither the words nor the time tell who has an account.
    if (mail) context.inBackground(context.account('forgot-password', 'write'))
    return { answer: done }
  },
  'reset-password': async (context) => {
    await context.spendAttempt({ to: 'reset', address: context.caller.address })
    const answer = await context.account('reset-password', 'write')
    return { answer, cookies: knownFrom(context, answer.aside?.reset) }
  },
  'send-confirmation': async (context, request) => {
    const { sessionUser, caller } = context
    if (!request.site.mail) refuse({ kind: 'invalid', issues: [{ path: 'email', message: NO_MAIL }] })
    await context.spendAttempt({ to: 'confirm', email: sessionUser?.user_email, address: caller.address })
    return { answer: await context.account('send-confirmation', 'write') }
  },
  'confirm-email': async (context) => {
    await context.spendAttempt({ to: 'confirm', address: context.caller.address })
    return { answer: await context.account('confirm-email', 'write') }
  },
  invitation: async (context) => {
    await context.spendAttempt({ to: 'invitation', address: context.caller.address })
    return { answer: await context.account('invitation', 'read') }
  },
  'accept-invitation': async (context, request) => {
    await context.spendAttempt({ to: 'invitation', address: context.caller.address })
    return signedInAfter(context, await context.account('accept-invitation', 'write'), bodyOf(request))
  },
  consent: async ({ sessionUser, caller, settleConsent }, request) => {
    const known = sessionUser ?? refuse({ kind: 'unauthenticated' })
    return { answer: answerData({ url: await settleConsent(known, bodyOf(request), caller) }) }
  },
  ...signInHandlers,
  ...factorHandlers,
} satisfies Record<string, (context: SessionContext, request: WebRequest) => Promise<SessionAnswer>>

/** Begins a session for a new account, with the password that was chosen. */
async function signedInAfter(context: SessionContext, answer: Answer, sent: unknown): Promise<SessionAnswer> {
  const email = answer.aside?.account
  if (email === undefined || !isObject(sent) || typeof sent.password !== 'string') return { answer }
  const cookies = await context.signIn.signIn({ email, password: sent.password }, context.caller)
  if (!cookies) return { answer }
  await context.finish(cookies, { method: 'password', factor: null })
  return { answer, cookies: knownFrom(context, email, cookies) }
}

/** A session has begun, or a code is needed first: then the cookies hold the challenge. */
async function afterPassword(context: SessionContext, email: string, cookies: string[]): Promise<SessionAnswer> {
  const signedIn = await context.finish(cookies, { method: 'password', factor: 'trusted_device' })
  return { answer: answerData({ needs_code: !signedIn }), cookies: knownFrom(context, email, cookies) }
}

/** The cookies of a browser that sent the right password, and the one by which it is known from now on. */
function knownFrom({ devices, now }: SessionContext, email: string | undefined, cookies: string[] = []): string[] {
  return email === undefined ? cookies : [...cookies, devices.remember(email, now)]
}

/** A session that is used is lengthened once a day. */
function isDue({ expires_at }: SessionUser, now: Date): boolean {
  return Date.parse(expires_at) - now.getTime() < (SESSION_DAYS - 1) * DAY_MS
}
