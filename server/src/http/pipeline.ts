import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Answer } from '../calls/answer.ts'
import { type Payment, refund } from './pay.ts'
import { sendAnswer, type WireParts } from './wire/send-answer.ts'

/** A request that is being answered. */
export type Exchange = { request: FastifyRequest; reply: FastifyReply }

/**
 * What a surface does with a request, step by step: admit, pay, condition, execute, hold, send. `C` is the request as
 * the surface executes it. A step that a surface does not need is left out.
 */
export type Steps<C> = {
  /** Before the body is read: finds out who calls, and refuses those who may not. */
  admit(exchange: Exchange): Promise<unknown>
  /** Pays for the request, once its body is known. */
  pay?: ((exchange: Exchange) => Promise<Payment | undefined> | Payment | undefined) | undefined
  /** Makes the call out of the request. A payment with a refusal only allows the repetition of an earlier request. */
  call(exchange: Exchange, payment: Payment | undefined): C
  /** The answer for a caller who has the current one already. */
  condition?(call: C): Answer | undefined
  /** Undefined if the response is being sent, because it is longer than one answer. */
  execute(call: C, exchange: Exchange): Promise<Answer | undefined>
  /** Waits with an answer until it has changed. */
  hold?: ((answer: Answer, call: C, exchange: Exchange) => Promise<Answer>) | undefined
  /** The answer as the surface sends it. */
  present?(answer: Answer, call: C): Answer
  wire: WireParts
}

/** Adds a route whose requests take these steps. */
export function addRoute<C>(
  app: FastifyInstance,
  place: Pick<RouteOptions, 'method' | 'url' | 'bodyLimit'>,
  steps: Steps<C>,
): void {
  const { pay, condition, hold, present, wire } = steps
  const { method } = place
  app.route({
    ...place,
    // Otherwise Fastify adds a second route for HEAD. Node leaves the body out.
    ...(method === 'GET' && { method: ['GET', 'HEAD'], exposeHeadRoute: false }),
    onRequest: (request, reply) => steps.admit({ request, reply }),
    handler: async (request, reply) => {
      const exchange = { request, reply }
      const payment = await pay?.(exchange)
      const call = steps.call(exchange, payment)
      const current = condition?.(call)
      if (current) return sendAnswer(reply, current, wire)
      const answer = await steps.execute(call, exchange)
      if (!answer) return reply
      if (payment) await refund(payment, answer)
      const held = hold ? await hold(answer, call, exchange) : answer
      return sendAnswer(reply, present ? present(held, call) : held, wire)
    },
  })
}
