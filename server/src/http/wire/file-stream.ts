import { hash } from 'node:crypto'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LoadShedder } from '../../telemetry/observability.ts'
import { type OpenResponse, takeOver } from './event-stream.ts'

/** An open response of unknown length. */
export type FileStream = OpenResponse & {
  /** Sends a part and waits until the client has read it. False if the connection is closed. */
  write(part: string | Uint8Array): Promise<boolean>
  /** Completes the response. */
  end(): void
  /** Closes the connection, so that the client does not mistake the response for a complete one. */
  cut(): void
}

/** The fastest level: it already finds most repetitions in records. */
const LEVEL = 1

/** Begins a response, in gzip if the client accepts it. */
export function openFileStream(
  reply: FastifyReply,
  { shedder, headers }: { shedder: LoadShedder; headers: Readonly<Record<string, string>> },
): FileStream {
  const { raw, request } = reply
  const { closed, whenClosed } = takeOver(reply, shedder)
  const gzip = encodingsOf(request.headers['accept-encoding']).has('gzip') ? createGzip({ level: LEVEL }) : undefined
  variesBy(reply, 'Accept-Encoding')
  reply.headers({
    ...headers,
    // Proxies that buffer answers would keep reading for a client that has stopped.
    'X-Accel-Buffering': 'no',
  })
  if (gzip) reply.header('Content-Encoding', 'gzip')
  // Our own headers are strings.
  raw.writeHead(200, reply.getHeaders() as Record<string, string>)
  gzip?.pipe(raw)
  if (gzip) closed.addEventListener('abort', () => gzip.destroy())
  const sink = gzip ?? raw
  return {
    async write(part) {
      if (closed.aborted) return false
      if (sink.write(part)) return true
      await once(sink, 'drain', { signal: closed }).catch(() => {})
      return !closed.aborted
    },
    end: () => void sink.end(),
    cut: () => void raw.destroy(),
    closed,
    whenClosed,
  }
}

/** A file that is the same for all callers. */
export type StaticFile = {
  type: string
  etag: string
  cache: 'for good' | 'ask again'
  plain(): Promise<Buffer>
  /** The available encodings, best first. */
  encoded: readonly ['br' | 'gzip', () => Promise<Buffer>][]
}

/** A file that clients revalidate with its ETag. */
export function keptBytes(type: string, bytes: Buffer): StaticFile {
  return {
    type,
    etag: hash('sha256', bytes, 'base64url').slice(0, 22),
    cache: 'ask again',
    plain: async () => bytes,
    encoded: [['gzip', madeOnce(() => compressed(bytes))]],
  }
}

export const compressed: (bytes: Buffer) => Promise<Buffer> = promisify(gzip)

/** Caches the result, unless it failed. */
export function madeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    return made
  }
}

/** Sends the file in the best encoding that the client accepts, or 304 if the client has it. */
export async function sendKept(request: FastifyRequest, reply: FastifyReply, kept: StaticFile): Promise<FastifyReply> {
  const { type, cache, encoded, plain } = kept
  const accepted = encodingsOf(request.headers['accept-encoding'])
  const [encoding, bytes] = encoded.find(([name]) => accepted.has(name)) ?? [undefined, plain]
  const etag = encoding === undefined ? `"${kept.etag}"` : `"${kept.etag}-${encoding}"`
  reply.headers({
    ETag: etag,
    'Cache-Control': cache === 'for good' ? 'public, max-age=31536000, immutable' : 'no-cache',
  })
  variesBy(reply, 'Accept-Encoding')
  if (isAmong(etag, request.headers['if-none-match'])) return reply.code(304).send()
  if (encoding !== undefined) reply.header('Content-Encoding', encoding)
  return reply.header('Content-Type', type).send(await bytes())
}

/** Tells caches that the response depends on a header of the request, too. */
export function variesBy(reply: FastifyReply, name: string): void {
  const vary = reply.getHeader('Vary')
  reply.header('Vary', vary === undefined ? name : `${vary}, ${name}`)
}

export function encodingsOf(header: string | string[] | undefined): Set<string> {
  const names = new Set<string>()
  for (const part of String(header ?? '').split(',')) {
    const [name = '', weight = ''] = part.split(';')
    if (!/^ *q=0(\.0*)? *$/.test(weight)) names.add(name.trim().toLowerCase())
  }
  return names
}

function isAmong(etag: string, header: string | undefined): boolean {
  if (header === undefined) return false
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag)
}
