import type { FastifyRequest } from 'fastify'
import type { Bearer } from '../accounts/tokens.ts'

/** Whose request it is, once that is known: for the access log. */
export const callers = new WeakMap<FastifyRequest, Bearer>()
