import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

type Encoding = 'br' | 'gzip'

/** Something that is sent as it is to everybody who asks. */
export type Kept = {
  type: string
  etag: string
  cache: 'for good' | 'ask again'
  plain(): Promise<Buffer>
  /** The encodings it has, the best first. */
  encoded: readonly [Encoding, () => Promise<Buffer>][]
}

/** Bytes that the client asks for again. Their tag tells whether it has them. */
export function keptBytes(type: string, bytes: Buffer): Kept {
  return {
    type,
    etag: hash('sha256', bytes, 'base64url').slice(0, 22),
    cache: 'ask again',
    plain: async () => bytes,
    encoded: [['gzip', once(() => compressed(bytes))]],
  }
}

export const compressed: (bytes: Buffer) => Promise<Buffer> = promisify(gzip)

/** What is made once is kept, unless making it failed. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    return made
  }
}

/** Sends it in the best encoding that the client takes, or says that the client has it already. */
export async function sendKept(request: FastifyRequest, reply: FastifyReply, kept: Kept): Promise<FastifyReply> {
  const { type, cache, encoded, plain } = kept
  const accepted = encodingsOf(request.headers['accept-encoding'])
  const [encoding, bytes] = encoded.find(([name]) => accepted.has(name)) ?? [undefined, plain]
  const etag = encoding === undefined ? `"${kept.etag}"` : `"${kept.etag}-${encoding}"`
  reply.headers({
    ETag: etag,
    'Cache-Control': cache === 'for good' ? 'public, max-age=31536000, immutable' : 'no-cache',
    Vary: 'Accept-Encoding',
  })
  if (isAmong(etag, request.headers['if-none-match'])) return reply.code(304).send()
  if (encoding !== undefined) reply.header('Content-Encoding', encoding)
  return reply.header('Content-Type', type).send(await bytes())
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
