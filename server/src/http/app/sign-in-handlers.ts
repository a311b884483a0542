import { isObject } from '@kith/contract/raw-input'
import { refuse, refuseValue } from '@kith/contract/refusal'
import { OIDC } from '../../accounts/sign-in/oidc.ts'
import type { Site } from '../../calls/call.ts'
import { readInput } from '../../scope/read-input.ts'
import type { SessionAnswer, SessionContext, SessionHandler } from './session-context.ts'
import { answerData, done } from './web-request.ts'

const TOTP = /^\d{6}$/

/** Ways to sign in other than a password. */
export const signInHandlers = {
  /** The second step after the password: a code of the app, or a recovery code. */
  'POST /sign-in/code': async (context, { body: input }) => {
    const { code, trust } = readInput(input, (fields) => ({
      code: fields.text('code', 50).trim(),
      trust: fields.flag('trust_device', false),
    }))
    await context.spend('second-factor')
    const id = await context.pendingUser(context.caller.cookie)
    if (id === undefined) return refuseStale()
    const isTotp = TOTP.test(code.replaceAll(' ', ''))
    const body = { code: isTotp ? code.replaceAll(' ', '') : code, trustDevice: trust }
    const { signIn, caller } = context
    const response = isTotp
      ? await signIn.verifyCode(id, body, caller)
      : await signIn.ask('verifyBackupCode', { body }, caller)
    const cookies = response?.headers.getSetCookie() ?? []
    const factor = isTotp ? 'totp' : 'recovery_code'
    if (response?.ok && (await context.finish(cookies, { method: 'password', factor }))) {
      return { answer: done, cookies }
    }
    context.noteFailure({ what: 'code', user: { id } })
    return refuseCode(response && (await codeOf(response)))
  },
  'POST /sign-in/passkey/options': async (context) => {
    await context.spend('passkey')
    // Without the session cookie, because another user may sign in in this browser.
    const caller = { ...context.caller, cookie: undefined }
    const response = await context.signIn.ask('generatePasskeyAuthenticationOptions', {}, caller)
    const options = { ...(await optionsIn(response)), userVerification: 'required' }
    return { answer: answerData(options), cookies: response.headers.getSetCookie() }
  },
  'POST /sign-in/passkey': async (context, { body }) => {
    const response = readInput(body, (fields) => fields.raw('response'))
    if (!isObject(response) || typeof response.id !== 'string') return refusePasskey()
    await context.spend('second-factor')
    const answer = await context.signIn.ask('verifyPasskeyAuthentication', { body: { response } }, context.caller)
    const cookies = answer.headers.getSetCookie()
    const began = { method: 'passkey', factor: 'passkey' } as const
    if (answer.ok && (await context.finish(cookies, began))) return { answer: done, cookies }
    const id = await context.passkeyHolder(response.id)
    if (id !== undefined) context.noteFailure({ what: 'passkey', user: { id } })
    return refusePasskey()
  },
  /** The URL of the provider to which the browser goes. The provider redirects to the callback. */
  'POST /sign-in/provider': async (context, { body, site }) => {
    const next = readInput(body, (fields) => fields.optionalText('next', 2000))
    await context.spend('provider')
    return toProvider(context, site, { endpoint: 'signInWithOAuth2', back: next ?? '/' })
  },
} satisfies Record<string, SessionHandler>

/** Starts a sign-in with the provider, which redirects back to the application. */
export async function toProvider(
  context: SessionContext,
  site: Site,
  { endpoint, back }: { endpoint: 'signInWithOAuth2' | 'oAuth2LinkAccount'; back: string },
): Promise<SessionAnswer> {
  if (site.provider === null)
    return refuse({ kind: 'not_found', message: 'This installation has no provider to sign in with.' })
  const body = {
    providerId: OIDC,
    callbackURL: ownPage(site.app_url, back),
    errorCallbackURL: endpoint === 'oAuth2LinkAccount' ? ownPage(site.app_url, back) : `${site.app_url}/sign-in`,
  }
  const response = await context.signIn.ask(endpoint, { body }, context.caller)
  const sent: unknown = await response.json()
  if (!response.ok || !isObject(sent) || typeof sent.url !== 'string') {
    const message = `${site.provider} cannot be reached at the moment. Try again, or sign in with your password.`
    return refuse({ kind: 'busy', message, retry_after: 10 })
  }
  return { answer: answerData({ url: sent.url }), cookies: response.headers.getSetCookie() }
}

/** The URL of a page of the application. Other URLs are not accepted. */
function ownPage(app_url: string, path: string): string {
  const url = URL.parse(path, app_url)
  return path.startsWith('/') && url?.origin === new URL(app_url).origin ? url.href : `${app_url}/`
}

async function optionsIn(response: Response): Promise<Record<string, unknown>> {
  const options: unknown = await response.json()
  if (!response.ok || !isObject(options)) throw new Error(`Options of a passkey failed with ${response.status}.`)
  return options
}

/** The error code of better-auth. */
export async function codeOf(response: Response): Promise<string> {
  const failure: unknown = await response.json().catch(() => undefined)
  return isObject(failure) && typeof failure.code === 'string' ? failure.code : ''
}

function refuseCode(problem: string | undefined): never {
  if (problem === 'ACCOUNT_TEMPORARILY_LOCKED') {
    const message = 'Too many wrong codes for this account. Try again in 15 minutes.'
    return refuse({ kind: 'rate_limited', message, retry_after: 900 })
  }
  if (problem === 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE' || problem === 'INVALID_TWO_FACTOR_COOKIE') return refuseStale()
  const message =
    'The code is wrong or was used already. Enter the next code that your app shows, or a recovery code you have not ' +
    'used yet.'
  return refuseValue('code', message)
}

function refuseStale(): never {
  return refuseValue('sign_in', 'This sign-in has expired. Enter your email address and password again.')
}

function refusePasskey(): never {
  const message = 'This passkey does not open an account here. Try another one, or sign in with your password.'
  return refuseValue('passkey', message)
}
