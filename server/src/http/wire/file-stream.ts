import { once } from 'node:events'
import { createGzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import type { LoadShedder } from '../../runtime/observability.ts'
import { encodingsOf } from './compressed-file.ts'
import { type OpenResponse, takeOver } from './in-flight.ts'

/** An open response whose length is not known. */
export type FileStream = OpenResponse & {
  /** Sends a text and waits until the client has read it. False if the connection is closed. */
  write(text: string): Promise<boolean>
  /** Completes the response. */
  end(): void
  /** Closes the connection, so that the client does not mistake the response for a complete one. */
  cut(): void
}

type FileSettings = { shedder: LoadShedder; headers: Readonly<Record<string, string>> }

/** The fastest level: it finds most of what repeats in records. */
const LEVEL = 1

/** Begins a response, in gzip if the client accepts it. */
export function openFileStream(reply: FastifyReply, { shedder, headers }: FileSettings): FileStream {
  const { raw, request } = reply
  const { closed, whenClosed } = takeOver(reply, shedder)
  const gzip = encodingsOf(request.headers['accept-encoding']).has('gzip') ? createGzip({ level: LEVEL }) : undefined
  const vary = reply.getHeader('Vary')
  reply.headers({
    ...headers,
    Vary: vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`,
    // Proxies that gather answers before they pass them on would read on for a client that has stopped reading.
    'X-Accel-Buffering': 'no',
  })
  if (gzip) reply.header('Content-Encoding', 'gzip')
  // Our own headers are texts.
  raw.writeHead(200, reply.getHeaders() as Record<string, string>)
  gzip?.pipe(raw)
  if (gzip) closed.addEventListener('abort', () => gzip.destroy())
  const sink = gzip ?? raw
  return {
    async write(text) {
      if (closed.aborted) return false
      if (sink.write(text)) return true
      await once(sink, 'drain', { signal: closed }).catch(() => {})
      return !closed.aborted
    },
    end: () => void sink.end(),
    cut: () => void raw.destroy(),
    closed,
    whenClosed,
  }
}
