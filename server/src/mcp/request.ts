import { isObject, parseJson } from '@kith/contract/raw-input'
import { toolNamed } from './tools.ts'

/** Decides the rate limit and the lane: calls of tools that change data are writes, all else is a read. */
export function kindOfMessage(body: string): 'read' | 'write' {
  const message = parseJson(body)
  // An invalid message counts as a read; the protocol library reports the error.
  if (!isObject(message) || message.method !== 'tools/call') return 'read'
  const tool = isObject(message.params) ? toolNamed(message.params.name) : undefined
  return tool && !tool.annotations.readOnlyHint ? 'write' : 'read'
}
