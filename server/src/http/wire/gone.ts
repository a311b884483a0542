import type { FastifyRequest } from 'fastify'
import type { IsGone } from '../../calls/call.ts'

/** Whether the client of a request has closed its connection. */
export function goneOf({ raw }: FastifyRequest): IsGone {
  return () => raw.socket.destroyed
}
