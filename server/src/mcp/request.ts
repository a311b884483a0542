import { toolNamed } from './tools.ts'

/** Decides the rate limit and the lane: calls of tools that change data are writes, all else is a read. */
export function kindOfMessage(body: string): 'read' | 'write' {
  const message = parsed(body)
  if (message.method !== 'tools/call') return 'read'
  const tool = toolNamed(message.params?.name)
  return tool && !tool.annotations.readOnlyHint ? 'write' : 'read'
}

type Message = { method?: unknown; params?: { name?: unknown } | null }

/** An invalid message counts as a read; the protocol library reports the error. */
function parsed(body: string): Message {
  try {
    const message: unknown = JSON.parse(body)
    return typeof message === 'object' && message !== null ? message : {}
  } catch {
    return {}
  }
}
