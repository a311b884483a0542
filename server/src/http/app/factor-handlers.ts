import type { FactorsAnswer, TotpSetUp } from '@kith/contract/app/factors'
import { PASSKEY_NAME_MAX, PASSKEYS_MAX } from '@kith/contract/limits'
import { isObject } from '@kith/contract/raw-input'
import { refuse, refuseValue } from '@kith/contract/refusal'
import { readName } from '../../accounts/parse-account.ts'
import { requireStrong } from '../../accounts/sign-in/factors.ts'
import type { Answer } from '../../calls/answer.ts'
import { readInput } from '../../scope/read-input.ts'
import type { SessionContext, SessionHandler } from './session-context.ts'
import { codeOf, toProvider } from './sign-in-handlers.ts'
import { answerData, done } from './web-request.ts'

/** How people set up a second factor for their own account. */
export const factorHandlers = {
  /** A new secret and recovery codes. Codes are asked for at sign-in once one was confirmed. */
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
    const response = await context.signIn.ask('verifyTOTP', { body: { code } }, context.caller)
    if (!response.ok) refuseValue('code', 'The code is wrong. Enter the code that your app shows now.')
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
    return { answer: ok(await context.account('forget-codes', 'write')), cookies }
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
      refuseValue('passkey', `You have ${PASSKEYS_MAX} passkeys, which is the most. Remove one first.`)
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

async function ownFactors(context: SessionContext): Promise<FactorsAnswer> {
  const answer = ok(await context.account('GET /factors', 'read'))
  // Written by readFactors.
  return JSON.parse(answer.body ?? '').data as FactorsAnswer
}

/** An operation of ours that fails here has failed inside. */
function ok(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`The account's own state was answered with ${answer.status}.`)
  return answer
}

/** Before the account changes: that the user of the session has the password, if the account has one. */
export async function requireOwner(context: SessionContext, password: string): Promise<void> {
  const own = await ownFactors(context)
  requireStrong(own)
  if (!own.has_password) return
  if (password === '') refuseValue('password', 'The password is required.')
  await callWithPassword(context, 'verifyPassword', { password })
}

/** Calls an endpoint of the library that takes the password. */
async function callWithPassword(
  context: SessionContext,
  endpoint: 'enableTwoFactor' | 'disableTwoFactor' | 'generateBackupCodes' | 'verifyPassword',
  body: { password: string },
): Promise<Response> {
  await spend(context)
  const response = await context.signIn.ask(endpoint, { body }, context.caller)
  if (response.status >= 500) throw new Error(`A second factor failed inside with ${response.status}.`)
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
