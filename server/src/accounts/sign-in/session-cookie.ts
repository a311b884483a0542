import { createHmac, timingSafeEqual } from 'node:crypto'

const SESSION = 'kith.session_token'
const CHALLENGE = 'kith.two_factor'
const TOKEN_MAX = 128

/** What is needed to read the session cookie. With https its name begins with `__Secure-`. */
export type CookieSettings = { secret: string; secure: boolean }

/**
 * The session token in the cookies of a browser, signed by better-auth. Without the secret of the installation no one
 * can create such a cookie, even with access to the table of sessions.
 */
export function sessionTokenIn(header: string | undefined, settings: CookieSettings): string | undefined {
  return signedIn(header, SESSION, settings)
}

/** The challenge of a sign-in that waits for a code. */
export function challengeIn(header: string | undefined, settings: CookieSettings): string | undefined {
  return signedIn(header, CHALLENGE, settings)
}

function signedIn(header: string | undefined, name: string, { secret, secure }: CookieSettings): string | undefined {
  const value = cookieNamed(secure ? `__Secure-${name}` : name, header)
  const at = value?.lastIndexOf('.') ?? -1
  if (value === undefined || at < 1 || at > TOKEN_MAX) return undefined
  const token = value.slice(0, at)
  const right = createHmac('sha256', secret).update(token).digest()
  const given = Buffer.from(value.slice(at + 1), 'base64')
  return given.length === right.length && timingSafeEqual(given, right) ? token : undefined
}

export function cookieNamed(name: string, header = ''): string | undefined {
  for (const part of header.split(';')) {
    const at = part.indexOf('=')
    if (at !== -1 && part.slice(0, at).trim() === name) return decoded(part.slice(at + 1).trim())
  }
  return undefined
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
