import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { parseJson } from '@kith/contract/raw-input'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SentBody } from '../../calls/call.ts'

/** Reads bodies as bytes: problems of the body are reported by the operation, after all checks that come before it. */
export function readBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

const JSON_TYPE = /^application\/(vnd\.api\+)?json *(;|$)/i

/** Fastify rejects a media type that it cannot parse before any other check, so it only sees two of them. */
export function normalizeMediaType({ headers }: IncomingMessage): void {
  const sent = headers['content-type']
  if (sent !== undefined)
    headers['content-type'] = JSON_TYPE.test(sent) ? 'application/json' : 'application/octet-stream'
}

export function sentBody({ body, headers }: FastifyRequest): SentBody {
  if (!Buffer.isBuffer(body) || body.length === 0) return { text: null, readable: true }
  const readable = JSON_TYPE.test(headers['content-type'] ?? '') && isUtf8(body)
  return { text: readable ? body.toString() : null, readable }
}

/** Undefined for anything that is not JSON: the operation reports what is wrong with it. */
export function jsonIn({ text, readable }: SentBody): unknown {
  return readable && text !== null ? parseJson(text) : undefined
}

/** Likewise for endpoints where no body means an empty object. */
export function optionalJsonIn(body: SentBody): unknown {
  return body.readable && body.text === null ? {} : jsonIn(body)
}
