import { SESSION_DAYS } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import { refuse } from '@kith/contract/refusal'
import type { Caller, SignIn } from '../../accounts/identify.ts'
import type { KnownDevices } from '../../accounts/known-devices.ts'
import { checkPassword } from '../../accounts/password-rule.ts'
import type { Attempt } from '../../accounts/sign-in-limit.ts'
import type { Visitor } from '../../accounts/visits.ts'
import type { Answer } from '../../answer.ts'
import type { Lane } from '../../call.ts'
import { readInput } from '../../read-input.ts'
import { API_VERSION } from '../openapi/info.ts'
import type { AccountHandlerName } from './account-handlers.ts'
import { answerData, bodyOf, done, type WebRequest } from './web-request.ts'

const DAY_MS = 86_400_000
const NO_MAIL = 'This installation sends no mail. Ask its operator to verify your address (kith user verify).'

/** What stands at the desk beside the request. */
export type Desk = {
  signIn: SignIn
  spendAttempt(attempt: Attempt): Promise<void>
  devices: KnownDevices
  needsSetUp(): Promise<boolean>
  /** Lets a program in, or does not, and tells where the browser goes next. */
  settleConsent(userId: string, input: unknown, caller: Caller): Promise<string>
  /** Carries out an account's call for whoever asks. */
  account(handler: AccountHandlerName, lane: Lane): Promise<Answer>
  /** Lets work go on behind an answer that does not wait for it. */
  behind(work: Promise<Answer>): void
  visitor: Visitor | undefined
  caller: Caller
  now: Date
}

/** An answer, and the cookies that the browser is to keep. */
export type DeskAnswer = { answer: Answer; cookies?: string[] | undefined }

export type DeskHandlerName = keyof typeof deskHandlers

/** Where sessions begin and end. */
export const deskHandlers = {
  start: async (
    { visitor, needsSetUp }: Desk,
    { site: { hosted, mail, api_url, mcp_url } }: WebRequest,
  ): Promise<DeskAnswer> => {
    const state = { needs_set_up: await needsSetUp(), signed_in: visitor !== undefined }
    return { answer: answerData({ ...state, hosted, mail, version: API_VERSION, api_url, mcp_url }) }
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
    if (cookies) return { answer: done, cookies: knownFrom(desk, email, cookies) }
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
    if (cookies) return { answer: done, cookies }
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
    const { user_id } = visitor ?? refuse({ kind: 'unauthenticated' })
    return { answer: answerData({ url: await settleConsent(user_id, bodyOf(request), caller) }) }
  },
} satisfies Record<string, (desk: Desk, request: WebRequest) => Promise<DeskAnswer>>

/** Begins a session for whoever has just got an account, with the password they chose. */
async function signedInAfter(desk: Desk, answer: Answer, sent: unknown): Promise<DeskAnswer> {
  const email = answer.aside?.account
  if (email === undefined || !isObject(sent) || typeof sent.password !== 'string') return { answer }
  const cookies = await desk.signIn.signIn({ email, password: sent.password }, desk.caller)
  return { answer, cookies: cookies && knownFrom(desk, email, cookies) }
}

/** The cookies of a browser that has proved itself, and the one by which it is known from now on. */
function knownFrom({ devices, now }: Desk, email: string | undefined, cookies: string[] = []): string[] {
  return email === undefined ? cookies : [...cookies, devices.remember(email, now)]
}

/** A session that is used is lengthened once a day. */
function isDue({ expires_at }: Visitor, now: Date): boolean {
  return Date.parse(expires_at) - now.getTime() < (SESSION_DAYS - 1) * DAY_MS
}
