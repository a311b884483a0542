import { Refusal } from '@kith/contract/refusal'
import type { Answer } from './answer.ts'
import type { Call, IsDisconnected } from './call.ts'
import type { Owner } from './fair-queue.ts'

/** Execute calls so that a long one does not delay others. */
export type Lanes = {
  /** A read whose client disconnects before its turn is not executed. */
  execute(call: Call, isDisconnected?: IsDisconnected): Promise<Answer>
  /** How many calls each lane has, waiting or running. */
  queues(): { lane: string; waiting: number }[]
  /** How many calls were refused because too many were waiting, by reason. */
  shed: Map<string, number>
  close(): Promise<void>
}

/** The client is gone: only the access log sees this answer. */
export const DISCONNECTED: Answer = { status: 499, body: null }

/** The owner of a call. Outside of any workspace it is the user; all callers without a session are one owner. */
export function ownerOf(call: Call): Owner {
  if (!('facts' in call)) {
    const user = `user ${call.holder?.user_id ?? ''}`
    return { workspace: user, actor: user }
  }
  const { workspace, actor } = call.facts
  return { workspace: workspace.id, actor: `${workspace.id} ${actor.token_id ?? actor.user_id}` }
}

/** Nothing was executed, so the request may be repeated. */
export function refuseBusy(shed: Map<string, number>, reason: string): never {
  shed.set(reason, (shed.get(reason) ?? 0) + 1)
  throw new Refusal({
    kind: 'busy',
    message: 'The service has too much to do at the moment. Retry shortly.',
    retry_after: 1,
  })
}
