import type { Answer } from '../http/answer.ts'
import { answerError } from '../http/answer-errors.ts'
import { handlers, type V1Request } from '../http/v1-handlers.ts'
import { type House, type ScopeFacts, scopeFor } from '../scope.ts'

/** A request with all that is known about who makes it: plain data, which any thread can carry out. */
export type Call = { facts: ScopeFacts; request: V1Request; request_id: string }

export async function carryOut(house: House, { facts, request, request_id }: Call): Promise<Answer> {
  try {
    return await handlers[request.handler](scopeFor(house, facts), request)
  } catch (error) {
    return answerError(error, house.engine.violation(error) === 'busy', request_id)
  }
}
