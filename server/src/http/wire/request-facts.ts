import type { FastifyInstance } from 'fastify'
import type { SessionUser } from '../../accounts/sign-in/sessions.ts'
import type { Bearer } from '../../accounts/tokens.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { Payment } from '../pay.ts'

declare module 'fastify' {
  /** Facts about a request that the checks before its body find out. */
  interface FastifyRequest {
    /** A token, or a user of the application. Set as soon as the caller is known. */
    caller: { workspace_id: string | null; token_id?: string; user_id: string; expires_at?: string | null } | undefined
    bearer: Bearer | undefined
    sessionUser: SessionUser | undefined
    /** The member and workspace. */
    admitted: ScopeFacts | undefined
    /** Paid before the body is read. */
    payment: Payment | undefined
    /** The media type of a file, before Fastify sees another one. */
    fileType: string | undefined
  }
}

/** Fastify needs the names before the first request, so that all requests have one shape. */
export function declareRequestFacts(app: FastifyInstance): void {
  for (const name of ['caller', 'bearer', 'sessionUser', 'admitted', 'payment', 'fileType'])
    app.decorateRequest(name, undefined)
}
