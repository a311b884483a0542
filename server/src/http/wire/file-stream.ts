import { createGzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import type { LoadShedder } from '../../runtime/load-shedding.ts'
import { encodingsOf } from './compressed-file.ts'
import { leaveInFlight } from './in-flight.ts'

/** An open response whose length is not known. */
export type FileStream = {
  /** Sends a text and waits until the client has read it. False if the connection is closed. */
  write(text: string): Promise<boolean>
  /** Completes the response. */
  end(): void
  /** Closes the connection, so that the client does not mistake the response for a complete one. */
  cut(): void
  /** Aborted as soon as the connection is closed, by either side. */
  closed: AbortSignal
  /** Calls this then, or at once if the connection is closed already. */
  whenClosed(work: () => void): void
}

type FileSettings = { shedder: LoadShedder; headers: Readonly<Record<string, string>> }

/** The fastest level: it finds most of what repeats in records. */
const LEVEL = 1

/** Begins a response, in gzip if the client accepts it. It does not count as a request in flight. */
export function openFileStream(reply: FastifyReply, { shedder, headers }: FileSettings): FileStream {
  reply.hijack()
  const { raw, request } = reply
  const closed = new AbortController()
  if (raw.closed) closed.abort()
  raw.once('close', () => closed.abort())
  leaveInFlight(reply, shedder)
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
  if (gzip) closed.signal.addEventListener('abort', () => gzip.destroy())
  const sink = gzip ?? raw
  return {
    async write(text) {
      if (closed.signal.aborted) return false
      if (sink.write(text)) return true
      const { promise, resolve } = Promise.withResolvers<void>()
      sink.once('drain', resolve)
      raw.once('close', resolve)
      await promise
      sink.off('drain', resolve)
      raw.off('close', resolve)
      return !closed.signal.aborted
    },
    end: () => void sink.end(),
    cut: () => void raw.destroy(),
    closed: closed.signal,
    whenClosed(work) {
      if (closed.signal.aborted) work()
      else closed.signal.addEventListener('abort', work)
    },
  }
}
