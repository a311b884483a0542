import { isObject } from '@kith/contract/raw-input'
import { oauthError } from './errors.ts'
import type { Exchange } from './oauth.ts'
import { isRedirectUri, REDIRECTS_ACCEPTED } from './redirects.ts'

/** Registers a client (RFC 7591). */
export async function answerRegister({ request, ask }: Exchange): Promise<Response | undefined> {
  const wrong = redirectsIn(await request.clone().text()).find((uri) => !isRedirectUri(uri))
  if (wrong !== undefined) {
    const message = `A redirect URI is not accepted: ${String(wrong).slice(0, 100)}. Accepted: ${REDIRECTS_ACCEPTED}.`
    return oauthError(400, { error: 'invalid_redirect_uri', message })
  }
  const response = await ask(request)
  // The library says 200 where RFC 7591 asks for 201.
  return response?.status === 200 ? new Response(response.body, { status: 201, headers: response.headers }) : response
}

/** What is not JSON, or not a list, the library refuses. */
function redirectsIn(body: string): unknown[] {
  try {
    const sent: unknown = JSON.parse(body)
    if (!isObject(sent)) return []
    return [sent.redirect_uris, sent.post_logout_redirect_uris].flatMap((list) => (Array.isArray(list) ? list : []))
  } catch {
    return []
  }
}
