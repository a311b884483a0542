import { invalid, readForm, withForm } from './form.ts'
import type { Exchange } from './oauth.ts'
import { isOAuthTarget, refuseTarget } from './targets.ts'

/** Gives tokens for a code or a refresh token. */
export async function answerToken({ request, ask, grants, resources }: Exchange): Promise<Response | undefined> {
  const form = await readForm(request)
  if (form instanceof Response) return form
  if (!form.has('grant_type')) return invalid('The parameter grant_type is missing.')
  const asked = form.getAll('resource')
  if (!asked.every((resource) => isOAuthTarget(resource, resources))) return refuseTarget(resources)
  // The library takes one. All that are accepted name the same server.
  form.delete('resource')
  if (asked[0] !== undefined) form.set('resource', asked[0])
  const exchange = () => ask(withForm(request, form))
  const code = form.get('grant_type') === 'authorization_code' ? form.get('code') : null
  return unstored(await (code === null ? exchange() : grants.useCode(code, exchange)))
}

/** Tokens are kept by no cache (RFC 6749, 5.1). */
function unstored(response: Response | undefined): Response | undefined {
  response?.headers.set('Cache-Control', 'no-store')
  response?.headers.set('Pragma', 'no-cache')
  return response
}
