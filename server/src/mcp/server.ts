import { Refusal } from '@kith/contract/refusal'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
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

const RESOURCE_NOT_FOUND = -32002

type Serving = { scope: Scope; installation: Installation; onBug(error: unknown): void }

/** A server for one message. It is stateless, so any node can answer the next one. */
export function serverFor({ scope, installation, onBug }: Serving): Server {
  const capabilities = { tools: {}, resources: {}, prompts: {} }
  const options = { capabilities, instructions, jsonSchemaValidator }
  const server = new Server({ name: 'kith', title: 'Kith', version }, options)
  const reads = scope.actor.abilities.includes('read')
  /** Passes bugs to `onBug`, because the protocol library would show them to the caller. */
  const guarded = <T>(work: () => Promise<T>) => work().catch((error: unknown) => fail(error, onBug))
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.filter((tool) => isAllowed(tool, scope.actor)).map(presentTool),
  }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    guarded(async () => ({ ...(await callTool(scope, { name: params.name, input: params.arguments }, installation)) })),
  )
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: reads ? listResources() : [] }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [] }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => guarded(() => readResource(scope, params.uri)))
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: reads ? [{ ...overviewPrompt, arguments: [...overviewPrompt.arguments] }] : [],
  }))
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
    guarded(() => readPrompt(scope, params.name, params.arguments ?? {})),
  )
  return server
}

function presentTool({ name, title, description, annotations, input, output }: Tool) {
  return {
    name,
    title,
    description,
    annotations: { title, ...annotations },
    inputSchema: input,
    outputSchema: output,
  }
}

function fail(error: unknown, onBug: (error: unknown) => void): never {
  if (error instanceof Refusal) {
    const code = error.reason.kind === 'not_found' ? RESOURCE_NOT_FOUND : ErrorCode.InvalidParams
    throw failure(code, refusalText(error))
  }
  onBug(error)
  throw failure(ErrorCode.InternalError, 'Server Error')
}

/** Not the library's error class: it adds the code to the text, as clients do. */
function failure(code: number, message: string): Error {
  return Object.assign(new Error(message), { code })
}
