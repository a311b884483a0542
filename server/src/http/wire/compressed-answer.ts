import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { encodingsOf } from './compressed-file.ts'

/** Below this, head and body fit into one packet either way. */
const LARGE_BYTES = 1024
/** The fastest level: it finds most of what repeats in JSON. */
const LEVEL = 1

const compressed = promisify(gzip)

export function isLarge(body: string): boolean {
  return body.length > LARGE_BYTES
}

/** Sends a large text, in gzip if the client accepts it. The compression runs outside the event loop. */
export function sendCompressed(reply: FastifyReply, body: string): FastifyReply | Promise<FastifyReply> {
  const vary = reply.getHeader('Vary')
  reply.header('Vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`)
  const accepted = reply.request.headers['accept-encoding']
  if (accepted === undefined || !encodingsOf(accepted).has('gzip')) return reply.send(body)
  return compressed(body, { level: LEVEL }).then((bytes) => reply.header('Content-Encoding', 'gzip').send(bytes))
}
