import type { FastifyInstance, FastifyReply } from 'fastify'

const MESSAGE = 'The request has more than one Host header. Send exactly one.'

/** Answers 400 to a request with several `Host` headers: a proxy may read another one than we do (RFC 9112, 3.2). */
export function refuseDuplicateHost(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (countHosts(request.raw.rawHeaders) > 1) refuse(reply)
    else done()
  })
}

/** Names and values alternate in what Node hands over. */
function countHosts(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'host').length
}

function refuse(reply: FastifyReply): void {
  const body = JSON.stringify({ message: MESSAGE })
  reply.code(400).headers({ 'Content-Type': 'application/json', Connection: 'close' }).send(Buffer.from(body))
}
