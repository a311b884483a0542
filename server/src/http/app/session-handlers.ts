import type { FactorsAnswer, TotpSetUp } from '@kith/contract/app/factors'
import { DAY_MS, PASSKEY_NAME_MAX, PASSKEYS_MAX, SESSION_DAYS } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import { refuse, refuseValue } from '@kith/contract/refusal'
import { checkPassword, readName } from '../../accounts/parse-account.ts'
import { requireStrong } from '../../accounts/sign-in/factors.ts'
import type { SessionUser } from '../../accounts/sign-in/sessions.ts'
import { type Answer, effectOf } from '../../calls/answer.ts'
import { readInput } from '../../scope/read-input.ts'
import { API_VERSION } from '../openapi/info.ts'
import type { SessionAnswer, SessionContext, SessionHandler } from './session-context.ts'
import { codeOf, signInHandlers, toProvider } from './sign-in-handlers.ts'
import { answerData, done } from './web-request.ts'

/** Handlers with which users set up a second factor for their own account. */
const factorHandlers = {
  /** A new secret and recovery codes. Sign-in requires a code once the first one was confirmed. */
  'POST /factors/totp': async (context, { body }) => {
    const password = passwordIn(body)
    const own = await ownFactors(context)
    requireStrong(own)
    if (own.totp) refuseValue('password', 'Codes are on already. Switch them off first to use another app.')
    if (!own.has_password)
      refuseValue('password', 'Codes are used together with a password, and your account has none.')
    const response = await callWithPassword(context, 'enableTwoFactor', { password })
    const made: unknown = await response.json()
    if (!isObject(made) || typeof made.totpURI !== 'string' || !Array.isArray(made.backupCodes))
      throw new Error('The library made no secret.')
    const secret = new URL(made.totpURI).searchParams.get('secret') ?? ''
    const data: TotpSetUp = { secret, uri: made.totpURI, recovery_codes: made.backupCodes.map(String) }
    return { answer: answerData(data, 201), cookies: response.headers.getSetCookie() }
  },
  'POST /factors/totp/confirm': async (context, { body }) => {
    const code = readInput(body, (fields) => fields.text('code', 50).replaceAll(' ', ''))
    const own = await ownFactors(context)
    if (own.totp) refuseValue('code', 'Codes are on already.')
    await spend(context)
    const response = await context.signIn.verifyCode(context.sessionUser?.user_id ?? '', { code }, context.caller)
    if (!response?.ok) refuseValue('code', 'The code is wrong. Enter the code that your app shows now.')
    const cookies = response.headers.getSetCookie()
    await context.markFactor(cookies, 'totp')
    return { answer: done, cookies }
  },
  'POST /factors/totp/off': async (context, { body }) => {
    const password = passwordIn(body)
    requireStrong(await ownFactors(context))
    const response = await callWithPassword(context, 'disableTwoFactor', { password })
    const cookies = response.headers.getSetCookie()
    await context.carryFactor(cookies)
    return { answer: ok(await context.account('remove-codes', 'write')), cookies }
  },
  'POST /factors/totp/recovery-codes': async (context, { body }) => {
    const password = passwordIn(body)
    const own = await ownFactors(context)
    requireStrong(own)
    if (!own.totp) refuseValue('password', 'Set up an authenticator app first.')
    const made: unknown = await (await callWithPassword(context, 'generateBackupCodes', { password })).json()
    const codes = isObject(made) && Array.isArray(made.backupCodes) ? made.backupCodes.map(String) : []
    return { answer: answerData({ recovery_codes: codes }, 201) }
  },
  'POST /factors/passkeys/options': async (context) => {
    const own = await ownFactors(context)
    requireStrong(own)
    if (own.passkeys.length >= PASSKEYS_MAX)
      refuseValue('passkey', `You have ${PASSKEYS_MAX} passkeys, the maximum. Remove one first.`)
    const response = await context.signIn.ask('generatePasskeyRegistrationOptions', {}, context.caller)
    if (response.status === 401 || response.status === 403) refuseOldSession()
    if (!response.ok) throw new Error(`Options of a passkey failed with ${response.status}.`)
    return { answer: answerData(await response.json()), cookies: response.headers.getSetCookie() }
  },
  'POST /factors/passkeys': async (context, { body }) => {
    const sent = readInput(body, (fields) => ({
      name: readName(fields, PASSKEY_NAME_MAX),
      response: fields.raw('response'),
    }))
    if (!isObject(sent.response)) refuseValue('response', 'The response must be the one that the browser created.')
    requireStrong(await ownFactors(context))
    await spend(context)
    const response = await context.signIn.ask('verifyPasskeyRegistration', { body: sent }, context.caller)
    if (!response.ok) refuseRegistration(await codeOf(response))
    await context.markFactor([], 'passkey')
    return { answer: { ...done, status: 201 }, cookies: response.headers.getSetCookie() }
  },
  'POST /factors/provider': async (context, { body, site }) => {
    const back = readInput(body, (fields) => fields.optionalText('back', 2000))
    requireStrong(await ownFactors(context))
    return toProvider(context, site, { endpoint: 'oAuth2LinkAccount', back: back ?? '/' })
  },
} satisfies Record<string, SessionHandler>

const NO_MAIL = 'This installation sends no mail. Ask its operator to verify your address (kith user verify).'

const NO_MAIL_CHANGE = 'This installation sends no mail, so that the new address cannot be confirmed.'

export type SessionEndpoint = keyof typeof sessionHandlers

/** Handlers that begin and end sessions, by endpoint. */
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
    // Either a session has begun, or a code is needed first: then the cookies contain the challenge.
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
    // The session identifies the device, so that attempts of other people do not lock out the user.
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
    // Answer before the lookup, so that neither text nor time reveals who has an account.
    if (site.mail) context.inBackground(context.account('forgot-password', 'write'))
    return { answer: done }
  },
  'POST /password/reset': async (context) => {
    await context.spend('reset')
    const answer = await context.account('reset-password', 'write')
    return { answer, cookies: knownFrom(context, emailIn(answer)) }
  },
  'POST /email/send-confirmation': async (context, { site }) => {
    if (!site.mail) refuseValue('email', NO_MAIL)
    await context.spend('confirm', { email: context.sessionUser?.user_email })
    return { answer: await context.account('send-confirmation', 'write') }
  },
  'POST /email/confirm': async (context) => {
    await context.spend('confirm')
    const answer = await context.account('confirm-email', 'write')
    // The browser stays known under the new address.
    return { answer, cookies: knownFrom(context, emailIn(answer)) }
  },
  'POST /email/change': async (context, { site, body }) => {
    if (!site.mail) refuseValue('email', NO_MAIL_CHANGE)
    const { email, password } = readInput(body, (fields) => {
      return { email: fields.text('email'), password: fields.optionalText('password') ?? '' }
    })
    await requireOwner(context, password)
    await context.spend('confirm', { email: context.sessionUser?.user_email })
    await context.spendMail({ user_id: context.sessionUser?.user_id ?? '', email })
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
  // Without limits: the signature of the link is checked before anything is read.
  'GET /unsubscribe/:token': async ({ account }) => ({ answer: await account('unsubscription', 'read') }),
  'POST /unsubscribe/:token': async ({ account }) => ({ answer: await account('unsubscribe', 'write') }),
  'POST /oauth/consent': async ({ sessionUser, caller, settleConsent }, { body }) => {
    const known = sessionUser ?? refuse({ kind: 'unauthenticated' })
    return { answer: answerData({ url: await settleConsent(known, body, caller) }) }
  },
  ...signInHandlers,
  ...factorHandlers,
} satisfies Record<string, SessionHandler>

/** Begins a session for a new account, with the password that was chosen. */
async function signedInAfter(context: SessionContext, answer: Answer, sent: unknown): Promise<SessionAnswer> {
  const email = emailIn(answer)
  if (email === undefined || !isObject(sent) || typeof sent.password !== 'string') return { answer }
  const cookies = await context.signIn.signIn({ email, password: sent.password }, context.caller)
  if (!cookies) return { answer }
  await context.finish(cookies, { method: 'password', factor: null })
  return { answer, cookies: knownFrom(context, email, cookies) }
}

/** The address of the account to which the browser has proved to belong. */
function emailIn(answer: Answer): string | undefined {
  return effectOf(answer, 'account_known')?.email
}

/** The cookies of a browser that sent the right password, plus the one that makes it known. */
function knownFrom({ devices, now }: SessionContext, email: string | undefined, cookies: string[] = []): string[] {
  return email === undefined ? cookies : [...cookies, devices.remember(email, now)]
}

/** Whether a session is due for its daily extension. */
function isDue({ expires_at }: SessionUser, now: Date): boolean {
  return Date.parse(expires_at) - now.getTime() < (SESSION_DAYS - 1) * DAY_MS
}

async function ownFactors(context: SessionContext): Promise<FactorsAnswer> {
  const answer = ok(await context.account('GET /factors', 'read'))
  // Written by readFactors.
  return JSON.parse(answer.body ?? '').data as FactorsAnswer
}

/** A failure of our own operation is an internal error here. */
function ok(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`The account's own state was answered with ${answer.status}.`)
  return answer
}

/** Checks, before the account changes, that the user of the session knows the password, if the account has one. */
async function requireOwner(context: SessionContext, password: string): Promise<void> {
  const own = await ownFactors(context)
  requireStrong(own)
  if (!own.has_password) return
  if (password === '') refuseValue('password', 'The password is required.')
  await callWithPassword(context, 'verifyPassword', { password })
}

/** Calls an endpoint of better-auth that needs the password. */
async function callWithPassword(
  context: SessionContext,
  endpoint: 'enableTwoFactor' | 'disableTwoFactor' | 'generateBackupCodes' | 'verifyPassword',
  body: { password: string },
): Promise<Response> {
  await spend(context)
  const response = await context.signIn.ask(endpoint, { body }, context.caller)
  if (response.status >= 500) throw new Error(`A second factor failed with the status ${response.status}.`)
  if (!response.ok) refuseValue('password', 'The password is wrong.')
  return response
}

function passwordIn(body: unknown): string {
  return readInput(body, (fields) => fields.text('password'))
}

function spend(context: SessionContext): Promise<void> {
  return context.spend('second-factor', { email: context.sessionUser?.user_email })
}

function refuseOldSession(): never {
  const message = 'You signed in more than a day ago. Sign in again, then add the passkey.'
  return refuse({ kind: 'forbidden', message, reason: 'sign_in_again' })
}

function refuseRegistration(problem: string): never {
  if (problem === 'USER_NOT_VERIFIED')
    refuseValue('passkey', 'The device did not check who you are. Use one with a PIN, a fingerprint or a face.')
  return refuseValue('passkey', 'The passkey could not be added. Start again.')
}
