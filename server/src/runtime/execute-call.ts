import { newId } from '@kith/contract/id'
import type { Logger } from 'pino'
import { type Answer, answerError, type Effect } from '../calls/answer.ts'
import type { Call, IsDisconnected } from '../calls/call.ts'
import { answerOnce } from '../calls/idempotency.ts'
import { openScope } from '../fields/definitions.ts'
import { accountRequest, handlerRequest } from '../http/app/web-request.ts'
import type { AppParts } from '../http/parts.ts'
import { handlers } from '../http/v1/handlers.ts'
import type { RunStep } from '../leases/step.ts'
import type { SendMail } from '../outbound/mail.ts'
import { settleFields } from '../schema/settle.ts'
import { encodeInParts, LARGE_BYTES, LargeRead } from '../scope/large-work.ts'
import { type Runtime, tenancyFor } from '../scope/scope.ts'
import { newTimeLimit, withTimeLimit } from '../storage/engines/time-limit.ts'
import { isOfMigration } from './watch-migrations.ts'

/** Executes a call with the handlers of its surface, in the main thread or a worker thread. */
export async function executeCall(runtime: Runtime, call: Call, isDisconnected?: IsDisconnected): Promise<Answer> {
  try {
    return await encoded(call, await executeInTime(runtime, call, isDisconnected))
  } catch (error) {
    if (error instanceof LargeRead) throw error
    const busy = runtime.engine.violation(error) === 'busy' || (await isOfMigration(runtime.engine, error))
    return answerError(error, busy, call.request_id)
  }
}

/**
 * Encodes a large body here, in parts. A thread transfers the bytes without a copy, and the event loop sends them
 * unchanged. Other surfaces read their answers.
 */
async function encoded({ surface }: Call, answer: Answer): Promise<Answer> {
  const { status, body } = answer
  if (body === null || body.length <= LARGE_BYTES || status >= 400) return answer
  if (surface !== 'v1' && surface !== 'mcp') return answer
  return { ...answer, body: null, bytes: await encodeInParts(body) }
}

/** Reads have a time limit. Writes complete or fail as a whole, and short reads need no limit. */
function executeInTime(runtime: Runtime, call: Call, isDisconnected?: IsDisconnected): Promise<Answer> {
  const { query_seconds: seconds = 0 } = runtime
  if (call.lane !== 'read' || (seconds === 0 && !isDisconnected)) return answer(runtime, call)
  return withTimeLimit(newTimeLimit(seconds, isDisconnected), () => answer(runtime, call))
}

/**
 * All surfaces but the REST API are loaded with their first call, which saves memory in threads that do not need them.
 */
async function answer(runtime: Runtime, call: Call): Promise<Answer> {
  switch (call.surface) {
    case 'v1': {
      const { lane, facts, request } = call
      const scope = { ...(await openScope(runtime, facts)), short: lane === 'short' }
      const handler = handlerOf(handlers, call)
      return lane === 'write' ? answerOnce(scope, request, handler) : handler(scope, request)
    }
    case 'mcp': {
      const { answerMessage } = await import('../mcp/endpoint.ts')
      return answerMessage(await openScope(runtime, call.facts), call.request, runtime.openContent)
    }
    case 'step': {
      const { runStep } = await import('./steps.ts')
      return { status: 200, body: JSON.stringify(await runStep(tenancyFor(runtime, call.facts), call.request)) }
    }
    case 'fields': {
      await settleFields(await openScope(runtime, call.facts))
      return { status: 204, body: null }
    }
    case 'workspace': {
      const { workspaceHandlers } = await import('../http/app/workspace-handlers.ts')
      return handlerOf(workspaceHandlers, call).answer(
        await openScope(runtime, call.facts),
        handlerRequest(call.request),
      )
    }
    case 'account': {
      const { accountHandlers } = await import('../http/app/account-handlers.ts')
      return handlerOf(accountHandlers, call)(runtime, accountRequest(call.request, call.holder))
    }
  }
}

/** Runs the steps of work with leases as calls. */
export function stepsOf({ now }: Pick<Runtime, 'now'>, execute: (call: Call) => Promise<Answer>): RunStep {
  return (facts, request, lane) =>
    execute({ surface: 'step', lane, facts, request, request_id: newId(now().getTime()) })
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

/** The parts of this process that answers have effects on. */
type EffectParts = {
  /** Undefined if the service sends no mail. */
  sendMail: SendMail | undefined
  logger: Logger
  /** Each wakes a part that would otherwise notice the change when it polls. */
  wake: Readonly<Record<'job_queued' | 'webhook_changed' | 'data_deleted', () => void>>
}

/** Executes calls, and carries out the effects of their answers. */
export function withEffects(execute: AppParts['execute'], parts: EffectParts): AppParts['execute'] {
  return async (call, isDisconnected) => {
    const answer = await execute(call, isDisconnected)
    for (const effect of answer.effects ?? []) carryOut(effect, parts)
    return answer
  }
}

function carryOut(effect: Effect, { sendMail, logger, wake }: EffectParts): void {
  switch (effect.kind) {
    case 'mail':
      // In the background. Its text is never logged.
      sendMail?.(effect.mail).catch((error: unknown) =>
        logger.error({ error: String(error) }, 'A mail could not be sent.'),
      )
      break
    // Carried out where it arises: the records follow before the response.
    case 'fields_changed':
    // The cookies of a session are set by the request that it belongs to.
    case 'account_known':
      break
    default:
      wake[effect.kind]()
  }
}
