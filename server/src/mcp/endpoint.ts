import { isObject, parseJson } from '@kith/contract/raw-input'
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolErrorCode,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Answer } from '../calls/answer.ts'
import type { McpRequest } from '../calls/call.ts'
import type { Runtime, Scope } from '../scope/scope.ts'
import { serverFor } from './server.ts'

/** Answers one message of the protocol, of any revision. Bugs are thrown and handled as on every surface. */
export async function answerMessage(
  scope: Scope,
  request: McpRequest,
  openContent?: Runtime['openContent'],
): Promise<Answer> {
  const message = parseJson(request.body)
  const problem = problemOf(message)
  if (problem) return problem
  let bug: { error: unknown } | undefined
  const onBug = (error: unknown) => {
    bug = { error }
  }
  const installation = { app_url: request.app_url, openContent }
  const newServer = () => serverFor({ scope, installation, onBug })
  const response = await respond(asWebRequest(request), message, newServer)
  const body = await response.text()
  if (bug) throw bug.error
  return { status: response.status, body: body === '' ? null : inWords(body) }
}

/** The library reports problems of parameters as JSON, sometimes after some words, and as internal errors. */
function inWords(body: string): string {
  if (!body.includes('"error":')) return body
  const answer: { error?: { code: number; message: string } } = JSON.parse(body)
  const { error } = answer
  const problems = parseJson(error?.message.slice(error.message.indexOf('[')) ?? '')
  if (!error || !Array.isArray(problems)) return body
  const message = problems
    .map(({ path = [], message }: { path?: (string | number)[]; message?: string }) => `${path.join('.')}: ${message}`)
    .join('; ')
  return JSON.stringify({ ...answer, error: { ...error, code: ProtocolErrorCode.InvalidParams, message } })
}

/** Refuses messages that the library would answer with a stream, or as several messages. */
function problemOf(message: unknown): Answer | undefined {
  // A batch would count as one request for the rate limits. The protocol removed batches in June 2025.
  if (Array.isArray(message)) {
    return failure(400, { code: ProtocolErrorCode.InvalidRequest, message: 'Send one message with each request.' })
  }
  if (!isObject(message) || message.method !== LISTEN) return undefined
  // No list changes while a client is connected, so there is nothing to subscribe to.
  const id = typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null
  return failure(404, { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' }, id)
}

const LISTEN = 'subscriptions/listen'

function failure(status: number, error: { code: number; message: string }, id: string | number | null = null): Answer {
  return { status, body: JSON.stringify({ jsonrpc: '2.0', id, error }) }
}

/** A message of revision 2026-07-28 names its revision; a message without it belongs to an earlier one. */
async function respond(
  request: Request,
  message: unknown,
  newServer: () => ReturnType<typeof serverFor>,
): Promise<Response> {
  if (!(await isLegacyRequest(request, message))) {
    return createMcpHandler(newServer, { legacy: 'reject' }).fetch(request, { parsedBody: message })
  }
  const server = newServer()
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const response = await transport.handleRequest(request)
  // The answer is complete: it is JSON.
  await server.close()
  return response
}

function asWebRequest({ body, headers: sent }: McpRequest): Request {
  // Answers are always JSON, never an event stream.
  const headers = { ...sent, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
  return new Request('http://tools.invalid/mcp', { method: 'POST', headers, body })
}
