import { handlers } from '../http/v1/handlers.ts'
import { answerError } from '../http/wire/answer-errors.ts'
import { type Runtime, scopeFor } from '../scope/scope.ts'
import { newTimeLimit, withTimeLimit } from '../scope/time-limit.ts'
import type { Answer } from './answer.ts'
import type { Call, IsGone } from './call.ts'

export async function carryOut(runtime: Runtime, call: Call, isGone?: IsGone): Promise<Answer> {
  try {
    return await answerInTime(runtime, call, isGone)
  } catch (error) {
    return answerError(error, runtime.engine.violation(error) === 'busy', call.request_id)
  }
}

/** Reads have a time limit. A write is carried out wholly or not at all, and short reads need none. */
function answerInTime(runtime: Runtime, call: Call, isGone?: IsGone): Promise<Answer> {
  const { query_seconds: seconds = 0 } = runtime
  if (call.lane !== 'read' || (seconds === 0 && !isGone)) return answer(runtime, call)
  return withTimeLimit(newTimeLimit(seconds, isGone), () => answer(runtime, call))
}

/** Each surface answers in its own words what was asked of it. */
async function answer(runtime: Runtime, call: Call): Promise<Answer> {
  switch (call.surface) {
    case 'v1':
      return handlers[call.request.handler](scopeFor(runtime, call.facts), call.request)
    case 'mcp': {
      // Loaded when the first message comes: the protocol's library is large, and many installations never need it.
      const { answerMessage } = await import('../mcp/endpoint.ts')
      return answerMessage(scopeFor(runtime, call.facts), call.request)
    }
    // Likewise the application's own calls, in each thread: what is not asked takes no memory.
    case 'workspace': {
      const { workspaceHandlers } = await import('../http/app/workspace-handlers.ts')
      return workspaceHandlers[call.request.handler](scopeFor(runtime, call.facts), call.request)
    }
    case 'account': {
      const { accountHandlers } = await import('../http/app/account-handlers.ts')
      return accountHandlers[call.request.handler](runtime, call.asker, call.request)
    }
  }
}
