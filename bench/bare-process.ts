import Fastify from 'fastify'

/** A server that does nothing but answer every request with the bytes that its parent sent last. */
let bytes = ''
const server = Fastify()
server.all('/*', (_, reply) => reply.type('application/json').send(bytes))
const url = await server.listen({ port: 0 })

process.on('message', (text: string) => {
  bytes = text
  process.send?.(url)
})
process.on('disconnect', () => process.exit())
process.send?.(url)
