import { createHmac, timingSafeEqual } from 'node:crypto'

const SESSION = 'kith.session_token'
const CHALLENGE = 'kith.two_factor'
const TOKEN_MAX = 128

/** What is needed to read a session's cookie. Over https its name begins with `__Secure-`, and browsers hold it to that. */
export type CookieSettings = { secret: string; secure: boolean }

/**
 * The session's token out of the cookies that a browser sent, in the form in which better-auth signs it. Whoever could read
 * the table of sessions could still make no cookie without the installation's secret.
 */
export function sessionTokenIn(header: string | undefined, settings: CookieSettings): string | undefined {
  return signedIn(header, SESSION, settings)
}

/** Likewise the challenge of a sign-in that waits for a code. */
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
