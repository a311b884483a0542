import type { Answer } from '../answer.ts'
import type { Call } from '../call.ts'
import { answerError } from '../http/answer-errors.ts'
import { handlers } from '../http/v1-handlers.ts'
import { type House, type Scope, scopeFor } from '../scope.ts'

export async function carryOut(house: House, call: Call): Promise<Answer> {
  try {
    return await answer(scopeFor(house, call.facts), call)
  } catch (error) {
    return answerError(error, house.engine.violation(error) === 'busy', call.request_id)
  }
}

/** Each surface answers in its own words what was asked of it. */
function answer(scope: Scope, { request }: Call): Promise<Answer> {
  return handlers[request.handler](scope, request)
}
