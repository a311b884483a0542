import type { FastifyInstance } from 'fastify'
import type { AppParts } from '../parts.ts'
import { sendAnswer } from '../wire/send-answer.ts'
import { authorizeMember } from './authorize.ts'
import { plainRequest } from './plain-request.ts'
import type { WorkspaceRoute } from './routes.ts'

/** The picture of a member as an image. Another picture has another address, so that browsers keep it. */
export function registerPicture(app: FastifyInstance, route: WorkspaceRoute, parts: AppParts): void {
  const { path, needs, whilePaused, lane, handler } = route
  app.get(path, { exposeHeadRoute: false }, async (request, reply) => {
    const facts = await authorizeMember(request, { needed: [needs], whilePaused, reply }, parts)
    const own = { ...plainRequest(request, parts), handler }
    const answer = await parts.execute({ surface: 'workspace', lane, facts, request: own, request_id: request.id })
    if (answer.status !== 200) return sendAnswer(reply, answer, { ...parts, mediaType: 'application/json' })
    const { data } = JSON.parse(answer.body ?? '')
    reply.header('Cache-Control', 'private, max-age=31536000, immutable')
    // Even if a browser opened it as a page, nothing in it would run.
    reply.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
    reply.header('Content-Type', data.type)
    return reply.send(Buffer.from(data.data, 'base64'))
  })
}
