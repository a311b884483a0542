import { type Answer, answerError } from '../calls/answer.ts'
import type { Call, IsDisconnected } from '../calls/call.ts'
import { accountRequest, handlerRequest } from '../http/app/web-request.ts'
import { handlers } from '../http/v1/handlers.ts'
import { answerOnce } from '../http/v1/idempotency.ts'
import { type Runtime, scopeFor } from '../scope/scope.ts'
import { newTimeLimit, withTimeLimit } from '../scope/time-limit.ts'

/** Executes a call with the handlers of its surface, in the main thread or a worker thread. */
export async function executeCall(runtime: Runtime, call: Call, isDisconnected?: IsDisconnected): Promise<Answer> {
  try {
    return await executeInTime(runtime, call, isDisconnected)
  } catch (error) {
    return answerError(error, runtime.engine.violation(error) === 'busy', call.request_id)
  }
}

/** Reads have a time limit. Writes complete or fail as a whole, and short reads need no limit. */
function executeInTime(runtime: Runtime, call: Call, isDisconnected?: IsDisconnected): Promise<Answer> {
  const { query_seconds: seconds = 0 } = runtime
  if (call.lane !== 'read' || (seconds === 0 && !isDisconnected)) return answer(runtime, call)
  return withTimeLimit(newTimeLimit(seconds, isDisconnected), () => answer(runtime, call))
}

/**
 * All surfaces but the REST API are loaded with their first call: a thread that does not need them saves the memory.
 */
async function answer(runtime: Runtime, call: Call): Promise<Answer> {
  switch (call.surface) {
    case 'v1': {
      const { lane, facts, request } = call
      const [scope, handler] = [scopeFor(runtime, facts), handlerOf(handlers, call)]
      return lane === 'write' ? answerOnce(scope, request, handler) : handler(scope, request)
    }
    case 'mcp': {
      const { answerMessage } = await import('../mcp/endpoint.ts')
      return answerMessage(scopeFor(runtime, call.facts), call.request)
    }
    case 'job': {
      const { runStep } = await import('../jobs/steps.ts')
      return { status: 200, body: JSON.stringify(await runStep(scopeFor(runtime, call.facts), call.request)) }
    }
    case 'webhook': {
      const { runWebhookStep } = await import('../webhooks/dispatch/steps.ts')
      return { status: 200, body: JSON.stringify(await runWebhookStep(scopeFor(runtime, call.facts), call.request)) }
    }
    case 'workspace': {
      const { workspaceHandlers } = await import('../http/app/workspace-handlers.ts')
      return handlerOf(workspaceHandlers, call).answer(scopeFor(runtime, call.facts), handlerRequest(call.request))
    }
    case 'account': {
      const { accountHandlers } = await import('../http/app/account-handlers.ts')
      return handlerOf(accountHandlers, call)(runtime, accountRequest(call.request, call.holder))
    }
  }
}

/** The routes are typed with the names of the handlers, so a missing one is a bug. */
function handlerOf<H>(
  among: Readonly<Record<string, H>>,
  { request: { handler } }: { request: { handler: string } },
): H {
  const found = among[handler]
  if (!found) throw new Error(`There is no handler ${handler}.`)
  return found
}
