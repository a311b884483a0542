import type { Answer } from '../../calls/answer.ts'
import type { AppParts } from '../parts.ts'
import type { V1Call } from './hold.ts'

type Execute = (call: V1Call) => Promise<Answer>

/** The test requests with an Idempotency-Key that run in this process: a repeated one waits, and gets the response. */
const running = new Map<string, Promise<unknown>>()

/** Executes calls of a test. The event is sent between the check of the request and the write of its log. */
export function sendingTests(execute: Execute, { sendTest }: Pick<AppParts, 'sendTest'>): Execute {
  async function run(call: V1Call): Promise<Answer> {
    const first = await execute(call)
    const wanted = first.aside?.test
    return wanted ? execute({ ...call, request: { ...call.request, test: await sendTest(wanted) } }) : first
  }
  return async (call) => {
    const { headers } = call.request
    if (headers.idempotency_key === null) return run(call)
    const { workspace, actor } = call.facts
    const name = JSON.stringify([workspace.id, actor.token_id ?? actor.user_id, headers.idempotency_key])
    const mine = (running.get(name) ?? Promise.resolve()).catch(() => {}).then(() => run(call))
    running.set(name, mine)
    return mine.finally(() => running.get(name) === mine && running.delete(name))
  }
}
