import { SESSION_DAYS } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import { refuse } from '@kith/contract/refusal'
import { checkPassword } from '../../accounts/parse-account.ts'
import type { Visitor } from '../../accounts/visits.ts'
import type { Answer } from '../../calls/answer.ts'
import { readInput } from '../../scope/read-input.ts'
import { API_VERSION } from '../openapi/info.ts'
import type { Desk, DeskAnswer } from './desk-parts.ts'
import { factorHandlers } from './factor-handlers.ts'
import { signInHandlers } from './sign-in-handlers.ts'
import { answerData, bodyOf, done, type WebRequest } from './web-request.ts'

const DAY_MS = 86_400_000
const NO_MAIL = 'This installation sends no mail. Ask its operator to verify your address (kith user verify).'

export type DeskHandlerName = keyof typeof deskHandlers

/** Where sessions begin and end. */
export const deskHandlers = {
  start: async (
    { visitor, needsSetUp }: Desk,
    { site: { hosted, mail, api_url, mcp_url, provider } }: WebRequest,
  ): Promise<DeskAnswer> => {
    const state = { needs_set_up: await needsSetUp(), signed_in: visitor !== undefined }
    return { answer: answerData({ ...state, hosted, mail, version: API_VERSION, api_url, mcp_url, provider }) }
  },
  'set-up': async (desk, request) => {
    await desk.spendAttempt({ to: 'set-up', address: desk.caller.address })
    return signedInAfter(desk, await desk.account('set-up', 'write'), bodyOf(request))
  },
  'sign-in': async (desk, request) => {
    const credentials = readInput(bodyOf(request), (fields) => ({
      email: fields.text('email').trim(),
      password: fields.text('password'),
    }))
    const { email } = credentials
    const device = desk.devices.find(desk.caller.cookie, email, desk.now)
    await desk.spendAttempt({ to: 'sign-in', email, address: desk.caller.address, device })
    const cookies = await desk.signIn.signIn(credentials, desk.caller)
    if (cookies) return afterPassword(desk, email, cookies)
    desk.noteFailure({ what: 'password', email })
    const message = 'The email address and the password do not belong together.'
    return refuse({ kind: 'invalid', issues: [{ path: 'email', message }] })
  },
  'sign-out': async ({ signIn, caller }) => ({ answer: done, cookies: await signIn.signOut(caller) }),
  session: async ({ account, signIn, visitor, caller, now }) => {
    const answer = await account('session', 'read')
    return { answer, cookies: visitor && isDue(visitor, now) ? await signIn.renew(caller) : undefined }
  },
  'change-password': async (desk, request) => {
    const passwords = readInput(bodyOf(request), (fields) => {
      const sent = { currentPassword: fields.text('current_password'), newPassword: fields.text('new_password') }
      if (sent.newPassword !== '') checkPassword(sent.newPassword, fields.report, 'new_password')
      return sent
    })
    const { visitor, caller } = desk
    // Somebody who is signed in is no stranger.
    const device = visitor && `session ${visitor.session_id}`
    await desk.spendAttempt({ to: 'sign-in', email: visitor?.user_email, address: caller.address, device })
    const cookies = await desk.signIn.changePassword(passwords, desk.caller)
    if (cookies) {
      await desk.carryFactor(cookies)
      return { answer: done, cookies }
    }
    const message = 'The current password is another one.'
    return refuse({ kind: 'invalid', issues: [{ path: 'current_password', message }] })
  },
  'forgot-password': async (desk, request) => {
    const { mail } = request.site
    const email = readInput(bodyOf(request), (fields) => fields.text('email'))
    await desk.spendAttempt({ to: 'reset', email, address: desk.caller.address })
    // Answered before anything is looked up: neither the words nor the time tell who has an account.
    if (mail) desk.behind(desk.account('forgot-password', 'write'))
    return { answer: done }
  },
  'reset-password': async (desk) => {
    await desk.spendAttempt({ to: 'reset', address: desk.caller.address })
    const answer = await desk.account('reset-password', 'write')
    return { answer, cookies: knownFrom(desk, answer.aside?.reset) }
  },
  'send-confirmation': async (desk, request) => {
    const { visitor, caller } = desk
    if (!request.site.mail) refuse({ kind: 'invalid', issues: [{ path: 'email', message: NO_MAIL }] })
    await desk.spendAttempt({ to: 'confirm', email: visitor?.user_email, address: caller.address })
    return { answer: await desk.account('send-confirmation', 'write') }
  },
  'confirm-email': async (desk) => {
    await desk.spendAttempt({ to: 'confirm', address: desk.caller.address })
    return { answer: await desk.account('confirm-email', 'write') }
  },
  invitation: async (desk) => {
    await desk.spendAttempt({ to: 'invitation', address: desk.caller.address })
    return { answer: await desk.account('invitation', 'read') }
  },
  'accept-invitation': async (desk, request) => {
    await desk.spendAttempt({ to: 'invitation', address: desk.caller.address })
    return signedInAfter(desk, await desk.account('accept-invitation', 'write'), bodyOf(request))
  },
  consent: async ({ visitor, caller, settleConsent }, request) => {
    const known = visitor ?? refuse({ kind: 'unauthenticated' })
    return { answer: answerData({ url: await settleConsent(known, bodyOf(request), caller) }) }
  },
  ...signInHandlers,
  ...factorHandlers,
} satisfies Record<string, (desk: Desk, request: WebRequest) => Promise<DeskAnswer>>

/** Begins a session for whoever has just got an account, with the password they chose. */
async function signedInAfter(desk: Desk, answer: Answer, sent: unknown): Promise<DeskAnswer> {
  const email = answer.aside?.account
  if (email === undefined || !isObject(sent) || typeof sent.password !== 'string') return { answer }
  const cookies = await desk.signIn.signIn({ email, password: sent.password }, desk.caller)
  if (!cookies) return { answer }
  await desk.finish(cookies, { method: 'password', factor: null })
  return { answer, cookies: knownFrom(desk, email, cookies) }
}

/** A session has begun, or a code is needed first: then the cookies hold the challenge. */
async function afterPassword(desk: Desk, email: string, cookies: string[]): Promise<DeskAnswer> {
  const signedIn = await desk.finish(cookies, { method: 'password', factor: 'trusted_device' })
  return { answer: answerData({ needs_code: !signedIn }), cookies: knownFrom(desk, email, cookies) }
}

/** The cookies of a browser that sent the right password, and the one by which it is known from now on. */
function knownFrom({ devices, now }: Desk, email: string | undefined, cookies: string[] = []): string[] {
  return email === undefined ? cookies : [...cookies, devices.remember(email, now)]
}

/** A session that is used is lengthened once a day. */
function isDue({ expires_at }: Visitor, now: Date): boolean {
  return Date.parse(expires_at) - now.getTime() < (SESSION_DAYS - 1) * DAY_MS
}
