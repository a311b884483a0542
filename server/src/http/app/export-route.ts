import { Readable } from 'node:stream'
import { isObject } from '@kith/contract/raw-input'
import { refuse } from '@kith/contract/refusal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Answer } from '../../calls/answer.ts'
import { sendAnswer } from '../wire/send-answer.ts'
import { enterWorkspace } from './enter.ts'
import { plainRequest } from './plain-request.ts'
import type { ExportRoute } from './routes.ts'
import type { Parts } from './web-parts.ts'
import { queryOf } from './web-request.ts'

const types: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
}

type Part = { text: string; next_cursor: string | null }

/** The audit log as a file. It is read part by part while it is sent, so that its length does not matter. */
export function registerExport(app: FastifyInstance, { path, needs, whilePaused }: ExportRoute, parts: Parts): void {
  const wanted = { needed: [needs], whilePaused }
  app.get(path, { exposeHeadRoute: false }, async (request, reply) => {
    const facts = await enterWorkspace(request, wanted, parts)
    const format = formatOf(request, parts)
    const first = await ask(request, parts, { facts, cursor: '' })
    if ('status' in first) return sendAnswer(request, reply, first, parts)
    const day = parts.now().toISOString().slice(0, 10)
    reply.header('Content-Type', types[format])
    reply.header('Content-Disposition', `attachment; filename="audit-${facts.workspace.slug}-${day}.${format}"`)
    return reply.send(Readable.from(textOf(first)))

    async function* textOf(part: Part): AsyncGenerator<string> {
      yield part.text
      for (let next = part.next_cursor; next !== null; ) {
        // An export may take a while: whether the member may still read the log is asked for every part.
        const now = await enterWorkspace(request, wanted, parts)
        const more = await ask(request, parts, { facts: now, cursor: next })
        // The connection is cut, so that nobody takes half a file for a whole one.
        if ('status' in more) throw new Error(`A part of the export was answered with ${more.status}.`)
        yield more.text
        next = more.next_cursor
      }
    }
  })
}

function formatOf(request: FastifyRequest, parts: Parts): 'csv' | 'ndjson' {
  const { format } = queryOf(plainRequest(request, parts))
  if (format === 'csv' || format === 'ndjson') return format
  return refuse({ kind: 'invalid', issues: [{ path: 'format', message: 'The format must be csv or ndjson.' }] })
}

type Wanted = { facts: Awaited<ReturnType<typeof enterWorkspace>>; cursor: string }

/** One part, or the answer of a refusal. */
async function ask(request: FastifyRequest, parts: Parts, { facts, cursor }: Wanted): Promise<Part | Answer> {
  const plain = plainRequest(request, parts)
  const own = { ...plain, params: { ...plain.params, cursor }, handler: 'audit-export' as const }
  const call = { surface: 'workspace', lane: 'read', facts, request: own, request_id: request.id } as const
  const answer = await parts.perform(call)
  if (answer.status !== 200) return answer
  const part: unknown = JSON.parse(answer.body ?? '')
  if (!isObject(part) || typeof part.text !== 'string') throw new Error('A part of the export has no text.')
  return { text: part.text, next_cursor: typeof part.next_cursor === 'string' ? part.next_cursor : null }
}
