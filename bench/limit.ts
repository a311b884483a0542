import { fastify } from 'fastify'

/** The limit: bare Fastify that answers given bytes at given paths, and does nothing else. Started with the bytes on standard input. */
let text = ''
for await (const part of process.stdin) text += part
const answers: { body: string; status: number }[] = JSON.parse(text)
const app = fastify()
answers.forEach(({ body, status }, index) => {
  const bytes = Buffer.from(body)
  app.route({
    method: ['GET', 'POST'],
    url: `/${index}`,
    handler: (_request, reply) => {
      reply.code(status).header('content-type', 'application/vnd.api+json').send(bytes)
    },
  })
})
await app.listen({ port: 0, host: '127.0.0.1' })
const address = app.server.address()
process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : ''}\n`)
