import { parseJson } from '@kith/contract/raw-input'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { Answer } from '../calls/answer.ts'
import type { McpRequest } from '../calls/call.ts'
import type { Scope } from '../scope/scope.ts'
import { serverFor } from './server.ts'

/** Answers one message of the protocol. Bugs are thrown and handled as on every surface. */
export async function answerMessage(scope: Scope, request: McpRequest): Promise<Answer> {
  if (isBatch(request.body)) return answerBatch()
  let bug: { error: unknown } | undefined
  const server = serverFor({
    scope,
    installation: { app_url: request.app_url },
    onBug: (error) => {
      bug = { error }
    },
  })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const response = await transport.handleRequest(asWebRequest(request))
  const body = await response.text()
  await server.close()
  if (bug) throw bug.error
  return { status: response.status, body: body === '' ? null : withOwnFault(body) }
}

function asWebRequest({ body, protocol_version }: McpRequest): Request {
  // Answers are always JSON, never an event stream.
  const headers = new Headers({ 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' })
  if (protocol_version !== null) headers.set('Mcp-Protocol-Version', protocol_version)
  return new Request('http://tools.invalid/mcp', { method: 'POST', headers, body })
}

const INTERNAL = `"code":${ErrorCode.InternalError}`

/** The library reports invalid parameters as internal errors. Real internal errors have been thrown before. */
function withOwnFault(body: string): string {
  if (!body.includes(INTERNAL)) return body
  const message: { error?: { code: number; message: string } } = JSON.parse(body)
  if (message.error?.code !== ErrorCode.InternalError) return body
  const error = { code: ErrorCode.InvalidParams, message: wordsFor(message.error.message) }
  return JSON.stringify({ ...message, error })
}

type Problem = { path?: (string | number)[]; message?: string }

/** The library reports problems as JSON. */
function wordsFor(text: string): string {
  const problems = parseJson(text)
  if (!Array.isArray(problems)) return text
  return problems.map(({ path = [], message }: Problem) => `${path.join('.')}: ${message}`).join('; ')
}

/** A batch would count as one request for the rate limits. The protocol removed batches in June 2025. */
function isBatch(body: string): boolean {
  return body.trimStart().startsWith('[')
}

function answerBatch(): Answer {
  const error = { code: ErrorCode.InvalidRequest, message: 'Send one message with each request.' }
  return { status: 400, body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) }
}
