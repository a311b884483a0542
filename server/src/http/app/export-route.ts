import { Readable } from 'node:stream'
import { isObject } from '@kith/contract/raw-input'
import { refuse } from '@kith/contract/refusal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Answer } from '../../calls/answer.ts'
import type { Lane } from '../../calls/call.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { AppParts } from '../parts.ts'
import { sendAnswer } from '../wire/send-answer.ts'
import { authorizeMember } from './authorize.ts'
import { plainRequest } from './plain-request.ts'
import type { ExportRoute } from './routes.ts'
import { queryOf } from './web-request.ts'

const types: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
}

type Part = { text: string; next_cursor: string | null }

/** The audit log as a file of any length, read part by part while it is sent. */
export function registerExport(app: FastifyInstance, route: ExportRoute, parts: AppParts): void {
  const { path, needs, whilePaused, lane } = route
  const wanted = { needed: [needs], whilePaused }
  app.get(path, { exposeHeadRoute: false }, async (request, reply) => {
    const facts = await authorizeMember(request, wanted, parts)
    const format = formatOf(request, parts)
    const first = await loadPart(request, parts, { facts, lane, cursor: '' })
    if ('status' in first) return sendAnswer(reply, first, { ...parts, mediaType: 'application/json' })
    const day = parts.now().toISOString().slice(0, 10)
    reply.header('Content-Type', types[format])
    reply.header('Content-Disposition', `attachment; filename="audit-${facts.workspace.slug}-${day}.${format}"`)
    return reply.send(Readable.from(textOf(first)))

    async function* textOf(part: Part): AsyncGenerator<string> {
      yield part.text
      for (let next = part.next_cursor; next !== null; ) {
        // An export may take long, so every part checks again that the member may read the log.
        const current = await authorizeMember(request, wanted, parts)
        const more = await loadPart(request, parts, { facts: current, lane, cursor: next })
        // Aborts the connection, so that an incomplete file is not mistaken for a complete one.
        if ('status' in more) throw new Error(`A part of the export was answered with ${more.status}.`)
        yield more.text
        next = more.next_cursor
      }
    }
  })
}

function formatOf(request: FastifyRequest, parts: AppParts): 'csv' | 'ndjson' {
  const { format } = queryOf(plainRequest(request, parts))
  if (format === 'csv' || format === 'ndjson') return format
  return refuse({ kind: 'invalid', issues: [{ path: 'format', message: 'The format must be csv or ndjson.' }] })
}

type Wanted = { facts: ScopeFacts; lane: Lane; cursor: string }

/** One part, or the answer of a refusal. */
async function loadPart(
  request: FastifyRequest,
  parts: AppParts,
  { facts, lane, cursor }: Wanted,
): Promise<Part | Answer> {
  const plain = plainRequest(request, parts)
  const own = { ...plain, params: { ...plain.params, cursor }, handler: 'audit-export' as const }
  const call = { surface: 'workspace', lane, facts, request: own, request_id: request.id } as const
  const answer = await parts.execute(call)
  if (answer.status !== 200) return answer
  const part: unknown = JSON.parse(answer.body ?? '')
  if (!isObject(part) || typeof part.text !== 'string') throw new Error('A part of the export has no text.')
  return { text: part.text, next_cursor: typeof part.next_cursor === 'string' ? part.next_cursor : null }
}
