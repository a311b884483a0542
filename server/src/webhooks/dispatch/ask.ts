import { newId } from '@kith/contract/id'
import type { Answer } from '../../calls/answer.ts'
import type { Call } from '../../calls/call.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { WebhookStep, WebhookSteps } from './steps.ts'

/** Runs a step in its lane. */
export type Ask = <Name extends WebhookStep>(
  facts: ScopeFacts,
  name: Name,
  input: WebhookSteps[Name]['input'],
) => Promise<WebhookSteps[Name]['output']>

export function askWith(execute: (call: Call) => Promise<Answer>, now: () => Date): Ask {
  return async (facts, name, input) => {
    const lane = name === 'flush' ? 'write' : 'read'
    const request_id = newId(now().getTime())
    const answer = await execute({ surface: 'webhook', lane, facts, request_id, request: { handler: name, input } })
    if (answer.status !== 200) throw new Error(`The step ${name} failed: ${answer.bug ?? answer.body}`)
    // Written by runWebhookStep.
    return JSON.parse(answer.body ?? 'null')
  }
}

/** A step that needs no rights. */
export function factsOf(workspaceId: string): ScopeFacts {
  return {
    workspace: { id: workspaceId, slug: '', name: '', fields_version: 0 },
    actor: { user_id: '', role: 'viewer', abilities: [], token_id: null, source: 'api' },
  }
}
