import type { Answer } from '../http/answer.ts'
import { answerError } from '../http/answer-errors.ts'
import type { Call } from '../http/call.ts'
import { handlers } from '../http/v1-handlers.ts'
import { type House, scopeFor } from '../scope.ts'

export async function carryOut(house: House, { facts, request, request_id }: Call): Promise<Answer> {
  try {
    return await handlers[request.handler](scopeFor(house, facts), request)
  } catch (error) {
    return answerError(error, house.engine.violation(error) === 'busy', request_id)
  }
}
