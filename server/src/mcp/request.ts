import { toolNamed } from './tools.ts'

/** A request of the MCP server as plain data, after the checks that need no body. */
export type McpRequest = {
  /** One message of the protocol, as JSON text. */
  body: string
  /** The version of the protocol that the client says it speaks, if it does. */
  protocol_version: string | null
  /** The address of the application. */
  app_url: string
}

/** What a message spends and where it runs: calls of tools that change something are writes, all else reads. */
export function kindOfMessage(body: string): 'read' | 'write' {
  const message = parsed(body)
  if (message.method !== 'tools/call') return 'read'
  const tool = toolNamed(message.params?.name)
  return tool && !tool.annotations.readOnlyHint ? 'write' : 'read'
}

type Message = { method?: unknown; params?: { name?: unknown } | null }

/** Whatever is no message asks for nothing; the protocol's own reader says what is wrong with it. */
function parsed(body: string): Message {
  try {
    const message: unknown = JSON.parse(body)
    return typeof message === 'object' && message !== null ? message : {}
  } catch {
    return {}
  }
}
