import { pipeline } from 'node:stream/promises'
import { Refusal } from '@kith/contract/refusal'
import type { FastifyReply } from 'fastify'
import { type Answer, answerRefusal, nextOf } from '../../calls/answer.ts'
import { unlessCurrent } from '../../calls/conditions.ts'
import type { AppParts } from '../parts.ts'
import { rangeIn } from '../wire/attachment.ts'
import { takeOver } from '../wire/event-stream.ts'
import type { FeedReader } from './hold.ts'

/** A client that does not read for so long is disconnected. */
const STALLED_MS = 60_000

/** Nothing in a content may run, even if a browser opens it as a page. What a browser has is checked before its use. */
const SAFE = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'private, no-cache',
}

/** Sends the content of a file, or the part that the Range header asks for, as fast as the client reads it. */
export async function sendContent(
  reply: FastifyReply,
  { call, execute }: FeedReader,
  { contents, shedder, waiting, logger }: Pick<AppParts, 'contents' | 'shedder' | 'waiting' | 'logger'>,
): Promise<Answer | undefined> {
  const found = await execute(call)
  const answer = unlessCurrent(call.request, found)
  const content = nextOf(found, 'content')
  if (answer.status !== 200 || !content) return answer
  const { raw, request } = reply
  const { size } = content
  const range = isStale(request.headers['if-range'], found) ? undefined : rangeIn(request.headers.range, size)
  if (range === null) return outOfRange(size)
  const stream = await contents.open(content, { size, range })
  if (!stream) return answerRefusal(missing(call.request.id))
  const { start, end } = range ?? { start: 0, end: size - 1 }
  reply.headers({ ...found.headers, ...SAFE, 'Content-Length': end - start + 1 })
  if (range) reply.header('Content-Range', `bytes ${start}-${end}/${size}`)
  const { closed } = takeOver(reply, shedder)
  // Our own headers are strings and numbers.
  raw.writeHead(range ? 206 : 200, reply.getHeaders() as Record<string, string>)
  if (request.method === 'HEAD') {
    stream.destroy()
    raw.end()
    return undefined
  }
  raw.setTimeout(STALLED_MS, () => raw.destroy())
  const signal = AbortSignal.any([closed, waiting.stopping])
  pipeline(stream, raw, { signal }).catch((error) => {
    if (!signal.aborted) logger.warn({ request_id: request.id, error: String(error) }, 'A file was cut off.')
    raw.destroy()
  })
  return undefined
}

/** A range of another version is of no use. Dates are not compared. */
function isStale(condition: string | string[] | undefined, { headers }: Answer): boolean {
  return condition !== undefined && condition !== headers?.ETag
}

function outOfRange(size: number): Answer {
  const message = `The file has ${size} bytes. The Range must begin before its end.`
  return { status: 416, body: JSON.stringify({ message }), headers: { 'Content-Range': `bytes */${size}` } }
}

function missing(id: string): Refusal {
  const message =
    `The content of the file with the ID ${id} is missing where the service stores files, or is damaged. ` +
    'Ask the operator of the service to restore it from a backup.'
  return new Refusal({ kind: 'not_found', message })
}
