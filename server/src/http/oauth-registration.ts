import { CLIENT_BODY_MAX_BYTES } from '@kith/contract/limits'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { metadataProblem } from '../accounts/oauth/client-metadata.ts'
import { oauthError } from '../accounts/oauth/errors.ts'
import { sendResponse } from './wire/fetch-request.ts'

export const REGISTER = '/api/auth/oauth2/register'

export type RegistrationParts = {
  /** Refuses a caller who has registered too many clients, by address. */
  spendRegistration(address: string): Promise<void>
}

type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** Registration is open to everyone, so only small bodies are stored. The address is checked before the body. */
export function registerRegistration(
  app: FastifyInstance,
  { spendRegistration }: RegistrationParts,
  handle: Handle,
): void {
  app.post(REGISTER, { bodyLimit: CLIENT_BODY_MAX_BYTES }, async (request, reply) => {
    await spendRegistration(request.ip)
    const problem = metadataProblem(Buffer.isBuffer(request.body) ? request.body.toString() : '')
    if (problem === undefined) return handle(request, reply)
    return sendResponse(reply, oauthError(400, { error: 'invalid_client_metadata', message: problem }))
  })
}
