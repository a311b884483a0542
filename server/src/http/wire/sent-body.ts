import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SentBody } from './json-body.ts'

/** Bodies are read as bytes: what is wrong with one is said in its turn, after all that comes before it. */
export function readBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

const JSON_TYPE = /^application\/(vnd\.api\+)?json *(;|$)/i

/** A media type that Fastify cannot make out it would refuse before the record is looked for. */
export function settleMediaType({ headers }: IncomingMessage): void {
  const sent = headers['content-type']
  if (sent !== undefined)
    headers['content-type'] = JSON_TYPE.test(sent) ? 'application/json' : 'application/octet-stream'
}

export function sentBody({ body, headers }: FastifyRequest): SentBody {
  if (!Buffer.isBuffer(body) || body.length === 0) return { text: null, readable: true }
  const readable = JSON_TYPE.test(headers['content-type'] ?? '') && isUtf8(body)
  return { text: readable ? body.toString() : null, readable }
}
