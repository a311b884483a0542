import type { FastifyInstance } from 'fastify'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { AppParts } from '../parts.ts'
import { sendParts } from '../v1/send-parts.ts'
import { authorizeMember } from './authorize.ts'
import { plainRequest } from './plain-request.ts'
import type { WorkspaceRoute } from './routes.ts'

/** The audit log as a file of any length, read part by part while it is sent. */
export function registerExport(app: FastifyInstance, route: WorkspaceRoute, parts: AppParts): void {
  const { path, needs, whilePaused, lane, handler } = route
  app.get(path, { exposeHeadRoute: false }, async (request, reply) => {
    const admitAgain = () => authorizeMember(request, { needed: [needs], whilePaused }, parts)
    const read = (facts: ScopeFacts, continuation?: string) => {
      const own = { ...plainRequest(request, parts), handler, continuation }
      return parts.execute({ surface: 'workspace', lane, facts, request: own, request_id: request.id })
    }
    return sendParts(reply, { facts: await admitAgain(), counts: false, read, admitAgain }, parts)
  })
}
