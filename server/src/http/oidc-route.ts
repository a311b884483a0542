import { setTimeout } from 'node:timers/promises'
import { Refusal } from '@kith/contract/refusal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { OIDC } from '../accounts/sign-in/oidc.ts'
import { rulesFor } from '../config.ts'
import { plainRequest } from './app/authorize.ts'
import { newSessionContext, type SessionContext, sessionUserBy } from './app/session-context.ts'
import type { AppParts } from './parts.ts'

const PATH = `/api/auth/oauth2/callback/${OIDC}`
const ANSWER_MS = 30_000

/** The callback of the provider. Every error is shown on a page of the application. */
export function registerOidc(app: FastifyInstance, parts: AppParts): void {
  const { provider } = parts.web
  if (!provider) return
  app.get(PATH, async (request, reply) => {
    const context = newSessionContext(request, plainRequest(request, parts), parts)
    const { page, cookies } = await comeBack(request, context, { ...parts, provider }).catch((error: unknown) => {
      if (!(error instanceof Refusal))
        parts.logger.warn({ request_id: request.id, error: String(error) }, 'A sign-in through the provider failed.')
      const problem = error instanceof Refusal ? 'too_many_attempts' : 'provider_failed'
      return { page: `/sign-in?problem=${problem}`, cookies: [] }
    })
    if (cookies.length > 0) reply.header('Set-Cookie', cookies)
    return reply.header('Cache-Control', 'no-store').redirect(page)
  })
}

async function comeBack(
  request: FastifyRequest,
  context: SessionContext,
  { provider, ...parts }: AppParts & { provider: NonNullable<AppParts['web']['provider']> },
): Promise<{ page: string; cookies: string[] }> {
  await context.spend('provider')
  const answered = context.signIn.handle(asLibraryRequest(request, parts.app_url), request.ip)
  const response = await Promise.race([answered, setTimeout(ANSWER_MS, undefined, { ref: false })])
  if (!response) throw new Error('The provider did not answer in time.')
  const cookies = response.headers.getSetCookie()
  if (response.status >= 400) return { page: `/sign-in?problem=${await problemIn(response)}`, cookies }
  const session = await sessionUserBy(cookies, parts)
  if (session) {
    const rules = rulesFor(provider.rules, session.user_email)
    await context.finish(cookies, { method: 'provider', factor: provider.strong ? 'provider' : null, rules })
  }
  return { page: ownPage(response.headers.get('location') ?? '/', parts.app_url), cookies }
}

/** The path is fixed, so that nothing in the URL can reach another endpoint of better-auth. */
function asLibraryRequest({ url, headers }: FastifyRequest, app_url: string): Request {
  const at = url.indexOf('?')
  const own = new Headers()
  if (headers.cookie !== undefined) own.set('Cookie', headers.cookie)
  if (headers['user-agent'] !== undefined) own.set('User-Agent', headers['user-agent'])
  return new Request(`${app_url}${PATH}${at === -1 ? '' : url.slice(at)}`, { headers: own })
}

/** If better-auth has lost the state of the sign-in, it redirects to its own error page. Ours is the sign-in page. */
function ownPage(location: string, app_url: string): string {
  const url = URL.parse(location, app_url)
  if (url === null || url.origin !== new URL(app_url).origin) return '/'
  const problem = url.searchParams.get('error')
  if (problem === null) return url.pathname + url.search
  const page = url.pathname.startsWith('/oauth/') ? '/sign-in' : url.pathname
  return `${page}?problem=${encodeURIComponent(problem.slice(0, 100))}`
}

async function problemIn(response: Response): Promise<string> {
  const failure: { code?: unknown } = await response.json().catch(() => ({}))
  return encodeURIComponent(typeof failure.code === 'string' ? failure.code.slice(0, 100) : 'provider_failed')
}
