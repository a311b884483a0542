import { lengthOf } from '@kith/contract/fold'
import { IDEMPOTENCY_KEY_MAX } from '@kith/contract/limits'
import { unstorable } from '@kith/contract/text'
import type { Scope } from '../scope/scope.ts'
import { hashOf, type KeyedRequest, refuseKey } from './once.ts'

/** The call of a tool with an idempotency key, which belongs to the user. */
export function keyedCall({ actor }: Scope, raw: string, call: { tool: string; input: unknown }): KeyedRequest {
  const { tool, input } = call
  return { owner: `mcp ${actor.user_id}`, key: parseKey(raw), request: tool, body_hash: hashOf(input) }
}

function parseKey(raw: string): string {
  const problem = unstorable(raw)
  if (problem) refuseKey(`The idempotency_key ${problem}.`)
  if (raw === '' || lengthOf(raw) > IDEMPOTENCY_KEY_MAX) {
    refuseKey(`The idempotency_key must have 1 to ${IDEMPOTENCY_KEY_MAX} characters.`)
  }
  return raw
}
