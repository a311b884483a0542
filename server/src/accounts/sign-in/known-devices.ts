import { createHmac, randomBytes } from 'node:crypto'
import { KNOWN_DEVICE_DAYS } from '@kith/contract/limits'
import { isSame } from '../token-format.ts'
import { type CookieSettings, cookieNamed } from './session-cookie.ts'
import { folded } from './sign-in-limit.ts'

const DAY_SECONDS = 86_400

/** Browsers that have signed in to an account before. Failed attempts of others do not block them. */
export type KnownDevices = {
  /** The id of the browser, if it sent a cookie of this account. */
  find(cookies: string | undefined, email: string, now: Date): string | undefined
  /** The cookie that makes a browser known. */
  remember(email: string, now: Date): string
}

/** The cookie is not a session: it only gives the browser its own limit of attempts. One cookie per account. */
export function knownDevices({ secret, secure }: CookieSettings): KnownDevices {
  const nameFor = (email: string) => `${secure ? '__Secure-' : ''}kith.device_${folded(email).slice(0, 12)}`
  const sign = (text: string, email: string) =>
    createHmac('sha256', secret)
      .update(`known device\n${folded(email)}\n${text}`)
      .digest('base64url')
  return {
    find(cookies, email, now) {
      const [id = '', seconds = '', signature = ''] = cookieNamed(nameFor(email), cookies)?.split('.') ?? []
      if (!isSame(signature, sign(`${id}.${seconds}`, email))) return undefined
      return now.getTime() / 1000 - Number(seconds) < KNOWN_DEVICE_DAYS * DAY_SECONDS ? id : undefined
    },
    remember(email, now) {
      const text = `${randomBytes(16).toString('base64url')}.${Math.floor(now.getTime() / 1000)}`
      const value = `${text}.${sign(text, email)}`
      const rest = `Max-Age=${KNOWN_DEVICE_DAYS * DAY_SECONDS}; Path=/api/app; HttpOnly; SameSite=Lax`
      return `${nameFor(email)}=${value}; ${rest}${secure ? '; Secure' : ''}`
    },
  }
}
