import { invalid } from './form.ts'
import type { Exchange } from './oauth.ts'
import { CONSENT_PATH } from './plugin.ts'
import { isRedirectUri, REDIRECTS_ACCEPTED } from './redirects.ts'
import { isOAuthTarget, refusedTargetUrl } from './targets.ts'

/** Sends the browser to the page that asks the person, or back to the client with what is wrong. */
export async function answerAuthorize(exchange: Exchange): Promise<Response | undefined> {
  const { request, ask, resources, app_url } = exchange
  const url = new URL(request.url)
  const returns = url.searchParams.get('redirect_uri')
  // A client may have registered before such addresses were refused.
  if (returns !== null && !isRedirectUri(returns)) {
    return invalid(`The redirect_uri is not accepted. Accepted: ${REDIRECTS_ACCEPTED}.`)
  }
  const response = await ask(request)
  const wrong = !url.searchParams.getAll('resource').every((resource) => isOAuthTarget(resource, resources))
  const refused = wrong ? refusedTargetUrl(url, `${app_url}/api/auth`) : undefined
  return refused !== undefined && response && asksPerson(response, app_url) ? redirect(refused) : response
}

/** Whether the library has accepted the request, and with it the address to which errors are sent. */
function asksPerson(response: Response, app_url: string): boolean {
  const url = URL.parse(response.headers.get('Location') ?? '')
  return url?.origin === app_url && url.pathname === CONSENT_PATH && !url.searchParams.has('error')
}

function redirect(url: string): Response {
  return new Response(null, { status: 302, headers: { Location: url, 'Cache-Control': 'no-store' } })
}
