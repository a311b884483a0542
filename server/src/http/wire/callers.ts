import type { FastifyRequest } from 'fastify'

/** Whose request it is: a token's, or that of somebody who is signed in to the application. */
export type KnownCaller = { workspace_id: string | null; token_id?: string; user_id: string }

/** Filled as soon as it is known, for the access log. */
export const callers = new WeakMap<FastifyRequest, KnownCaller>()
