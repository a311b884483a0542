import * as z from 'zod'

const ANSWER_MS = 10_000
const CLOCK_SECONDS = 60

/** What the provider says about the user. */
export type Claims = { sub: string; email: string; email_verified: boolean; name: string | undefined }

type Provider = { issuer: string; clientId: string; discoveryUrl: string }

type Tokens = { idToken?: string | undefined; accessToken?: string | undefined }

const discovery = z.object({ issuer: z.string(), jwks_uri: z.url(), userinfo_endpoint: z.url().optional() })

// Some providers send the flag as text.
const flag = z.union([z.boolean(), z.literal('true').transform(() => true)]).catch(false)
const profile = z.object({
  sub: z.string().min(1),
  email: z.string().optional().catch(undefined),
  email_verified: flag.default(false),
  name: z.string().trim().min(1).optional().catch(undefined),
})

/**
 * Checks the ID token against the provider's keys, its issuer and its audience. If it has no email address, the
 * userinfo endpoint is called, and its answer must have the same subject.
 */
export async function readClaims(provider: Provider, { idToken, accessToken }: Tokens): Promise<Claims> {
  const { createRemoteJWKSet, jwtVerify } = await import('jose')
  const known = discovery.parse(await fetchJson(provider.discoveryUrl))
  if (known.issuer !== provider.issuer) throw new Error('The provider names another issuer.')
  const keys = createRemoteJWKSet(new URL(known.jwks_uri), { timeoutDuration: ANSWER_MS })
  const expected = { issuer: provider.issuer, audience: provider.clientId, clockTolerance: CLOCK_SECONDS }
  const { payload } = await jwtVerify(idToken ?? '', keys, expected)
  const told = profile.parse(payload)
  if (told.email !== undefined) return complete(told)
  if (known.userinfo_endpoint === undefined) throw new Error('The provider tells no email address.')
  const headers = { Authorization: `Bearer ${accessToken ?? ''}` }
  const more = profile.parse(await fetchJson(known.userinfo_endpoint, headers))
  if (more.sub !== told.sub) throw new Error('The userinfo has another subject.')
  return complete(more)
}

function complete({ email = '', ...rest }: z.infer<typeof profile>): Claims {
  const address = email.trim().toLowerCase()
  if (!/^[^@\s]{1,64}@[^@\s]{1,253}$/.test(address)) throw new Error('The provider tells no email address.')
  return { ...rest, email: address, name: rest.name }
}

async function fetchJson(url: string, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(ANSWER_MS) })
  if (!response.ok) throw new Error(`The provider answered ${response.status}.`)
  return response.json()
}
