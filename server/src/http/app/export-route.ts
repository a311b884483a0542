import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { ExportFormat, ExportPart } from '../../audit/export.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { AppParts } from '../parts.ts'
import { sendAnswer } from '../wire/send-answer.ts'
import { authorizeMember } from './authorize.ts'
import { plainRequest } from './plain-request.ts'
import type { WorkspaceRoute } from './routes.ts'

const types: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
}

/** The audit log as a file of any length, read part by part while it is sent. */
export function registerExport(app: FastifyInstance, route: WorkspaceRoute, parts: AppParts): void {
  const { path, needs, whilePaused, lane, handler } = route
  const wanted = { needed: [needs], whilePaused }
  app.get(path, { exposeHeadRoute: false }, async (request, reply) => {
    const facts = await authorizeMember(request, wanted, parts)
    const first = await load(facts, '')
    if (first.status !== 200) return sendAnswer(reply, first, { ...parts, mediaType: 'application/json' })
    const part = partIn(first.body)
    const day = parts.now().toISOString().slice(0, 10)
    reply.header('Content-Type', types[part.format])
    reply.header('Content-Disposition', `attachment; filename="audit-${facts.workspace.slug}-${day}.${part.format}"`)
    return reply.send(Readable.from(textOf(part)))

    async function* textOf(part: ExportPart): AsyncGenerator<string> {
      yield part.text
      for (let next = part.next_cursor; next !== null; ) {
        // An export may take long, so every part checks again that the member may read the log.
        const { status, body } = await load(await authorizeMember(request, wanted, parts), next)
        // Aborts the connection, so that an incomplete file is not mistaken for a complete one.
        if (status !== 200) throw new Error(`A part of the export was answered with ${status}.`)
        const more = partIn(body)
        yield more.text
        next = more.next_cursor
      }
    }

    function load(facts: ScopeFacts, cursor: string) {
      const plain = plainRequest(request, parts)
      const own = { ...plain, params: { ...plain.params, cursor }, handler }
      return parts.execute({ surface: 'workspace', lane, facts, request: own, request_id: request.id })
    }
  })
}

function partIn(body: string | null): ExportPart & { format: ExportFormat } {
  // Written by the handler of the route.
  return JSON.parse(body ?? '')
}
