import { kindOfToken } from '../token-format.ts'
import { oauthError } from './errors.ts'
import { invalid, readForm, withForm } from './form.ts'
import type { Exchange } from './oauth.ts'

/** Revokes a token that a client gives back (RFC 7009). A token that is unknown or already revoked is answered with 200. */
export async function answerRevoke({ request, ask, grants }: Exchange): Promise<Response | undefined> {
  const form = await readForm(request)
  if (form instanceof Response) return form
  const token = form.get('token')
  if (!token) return invalid('The parameter token is missing.')
  if (kindOfToken(token) === 'personal') {
    const message = 'Access tokens that people made are revoked in the settings of their workspace.'
    return oauthError(400, { error: 'unsupported_token_type', message })
  }
  // A wrong hint must not keep a token alive (RFC 7009, 2.1), and the library would believe it.
  form.delete('token_type_hint')
  const clientId = form.get('client_id')
  if (clientId !== null) await grants.revoke(token, clientId)
  const response = await ask(withForm(request, form))
  // With a token and a client, 400 says that the library knows no such token.
  return response?.ok || response?.status === 400
    ? new Response(null, { headers: { 'Cache-Control': 'no-store' } })
    : response
}
