import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SignedBody } from '../accounts/stripe-events.ts'
import type { Answer } from '../answer.ts'

/** What the routes that are not part of the public interface need. */
export type PrivateParts = {
  /** Takes the request as a browser would send it. */
  identify(request: Request, clientAddress: string): Promise<Response>
  /** Undefined where no subscriptions are sold. */
  takeStripeEvent: ((sent: SignedBody) => Promise<void>) | undefined
  origin: string
  answerError(error: unknown, requestId: string): Answer
}

/** What of better-auth's own interface is open. People sign in through `/api/app`, where attempts are limited. */
const IDENTITY_PATHS = ['/oauth2/*', '/jwks', '/.well-known/*']

/** Authorising other programs, and Stripe's webhook. */
export function registerPrivateRoutes(app: FastifyInstance, parts: PrivateParts): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error, request, reply) => {
    const { status, body, headers } = parts.answerError(error, request.id)
    return reply
      .code(status)
      .headers(headers ?? {})
      .type('application/json')
      .send(body)
  })
  for (const path of IDENTITY_PATHS) {
    app.route({
      method: ['GET', 'POST'],
      url: `/auth${path}`,
      handler: async (request, reply) =>
        sendResponse(reply, await parts.identify(asWebRequest(request, parts), request.ip)),
    })
  }
  const { takeStripeEvent } = parts
  if (takeStripeEvent) {
    app.post('/stripe/webhook', async (request, reply) => {
      const signature = request.headers['stripe-signature']
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      await takeStripeEvent({ body, signature: typeof signature === 'string' ? signature : undefined })
      return reply.send({ received: true })
    })
  }
}

function asWebRequest(request: FastifyRequest, { origin }: PrivateParts): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  const body = Buffer.isBuffer(request.body) && request.body.length > 0 ? new Uint8Array(request.body) : undefined
  return new Request(new URL(request.url, origin), { method: request.method, headers, body })
}

async function sendResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status)
  for (const [name, value] of response.headers) if (name !== 'set-cookie') reply.header(name, value)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) reply.header('set-cookie', cookies)
  return reply.send(Buffer.from(await response.arrayBuffer()))
}
