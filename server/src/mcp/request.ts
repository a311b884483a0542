import { TOOL_BATCH_MAX } from '@kith/contract/limits'
import { isObject, parseJson } from '@kith/contract/raw-input'
import type { MessageCost } from '../calls/call.ts'
import { toolNamed } from './tools.ts'

const READ: MessageCost = { kind: 'read', items: 0, abilities: [], any_of: [] }

/** Decides the rate limit and the lane: calls of tools that change data are writes, all else is a read. */
export function costOfMessage(body: string): MessageCost {
  const message = parseJson(body)
  // An invalid message counts as a read; the protocol library reports the error.
  if (!isObject(message) || message.method !== 'tools/call' || !isObject(message.params)) return READ
  const tool = toolNamed(message.params.name)
  if (!tool) return READ
  const needed = { abilities: tool.abilities, any_of: tool.anyOf ?? [] }
  if (tool.annotations.readOnlyHint) return { ...READ, ...needed }
  const sent = isObject(message.params.arguments) ? message.params.arguments.operations : undefined
  const operations = tool.takesOperations && Array.isArray(sent) ? Math.min(sent.length, TOOL_BATCH_MAX) : 1
  return { kind: 'write', items: Math.max(1, operations), ...needed }
}
