import { Refusal } from '@kith/contract/refusal'
import { type Tool as ListedTool, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv'
import type { Scope } from '../scope/scope.ts'
import { version } from '../scope/version.ts'
import { callTool } from './call-tool.ts'
import { instructions } from './instructions.ts'
import { overviewPrompt, readPrompt } from './overview-prompt.ts'
import { refusalText } from './refusal-text.ts'
import { listResources, readResource } from './resources.ts'
import { type Installation, isAllowed, type Tool } from './tool.ts'
import { tools } from './tools.ts'

/** Shared by all messages: creating it takes longer than most of them. */
const jsonSchemaValidator = new AjvJsonSchemaValidator()

type Serving = { scope: Scope; installation: Installation; onBug(error: unknown): void }

/** The lists depend on the abilities and the role of the caller, and change with them or with a new version of Kith. */
const LISTS = { ttlMs: 5 * 60_000, cacheScope: 'private' } as const

const cacheHints = {
  'server/discover': LISTS,
  'tools/list': LISTS,
  'prompts/list': LISTS,
  'resources/list': LISTS,
  'resources/templates/list': LISTS,
}

/** A server for one message. It is stateless, so any node can answer the next one. */
export function serverFor({ scope, installation, onBug }: Serving): Server {
  const capabilities = { tools: {}, resources: {}, prompts: {} }
  const options = { capabilities, instructions, jsonSchemaValidator, cacheHints }
  const server = new Server({ name: 'kith', title: 'Kith', version }, options)
  const reads = scope.actor.abilities.includes('read')
  /** Passes bugs to `onBug`, because the protocol library would show them to the caller. */
  const guarded = <T>(work: () => Promise<T>) => work().catch((error: unknown) => fail(error, { onBug }))
  server.setRequestHandler('tools/list', () => ({
    tools: tools.filter((tool) => isAllowed(tool, scope.actor)).map(presentTool),
  }))
  server.setRequestHandler('tools/call', ({ params }) =>
    guarded(async () => ({ ...(await callTool(scope, { name: params.name, input: params.arguments }, installation)) })),
  )
  server.setRequestHandler('resources/list', () => ({ resources: reads ? listResources() : [] }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
  server.setRequestHandler('resources/read', ({ params }) =>
    readResource(scope, params.uri).catch((error: unknown) => fail(error, { onBug, uri: params.uri })),
  )
  server.setRequestHandler('prompts/list', () => ({
    prompts: reads ? [{ ...overviewPrompt, arguments: [...overviewPrompt.arguments] }] : [],
  }))
  server.setRequestHandler('prompts/get', ({ params }) =>
    guarded(() => readPrompt(scope, params.name, params.arguments ?? {})),
  )
  return server
}

function presentTool({ name, title, description, annotations, input, output }: Tool): ListedTool {
  const schemas = { inputSchema: input, ...(output === undefined ? {} : { outputSchema: output }) }
  // A schema is plain JSON, which its type does not say.
  return { name, title, description, annotations, ...(schemas as Schemas) }
}

type Schemas = Pick<ListedTool, 'inputSchema' | 'outputSchema'>

type Failing = { onBug(error: unknown): void; uri?: string }

/** Reports a refusal in the protocol's form. With `uri`, clients recognize a resource that does not exist. */
function fail(error: unknown, { onBug, uri }: Failing): never {
  if (!(error instanceof Refusal)) {
    onBug(error)
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Server Error')
  }
  const data = error.reason.kind === 'not_found' && uri !== undefined ? { uri } : undefined
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, refusalText(error), data)
}
