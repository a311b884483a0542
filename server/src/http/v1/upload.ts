import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { IMPORT_RATIO_FREE_BYTES, IMPORT_RATIO_MAX } from '@kith/contract/limits'
import { refuseValue } from '@kith/contract/refusal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../../calls/answer.ts'
import { keyIn } from '../../calls/idempotency.ts'
import type { ExpectedFile } from '../../jobs/change-job.ts'
import { refuseMalformedKey } from '../../records/once.ts'
import type { AppParts } from '../parts.ts'
import type { FeedReader } from './hold.ts'

/** The media types as they were sent. Fastify rejects malformed ones before any other check. */

export function keepMediaType(request: FastifyRequest): void {
  const { headers } = request.raw
  if (headers['content-type'] === undefined) return
  request.fileType = headers['content-type']
  headers['content-type'] = 'application/octet-stream'
}

/** Stores the file of an import, piece by piece, and then makes the call that uses it. */
export async function receiveImport(
  reply: FastifyReply,
  { call, execute }: FeedReader,
  { files, bodies }: Pick<AppParts, 'files' | 'bodies'>,
): Promise<Answer> {
  const { facts, request: plain } = call
  // A malformed key is refused before the file is read.
  const key = keyIn(plain)
  if (key !== undefined) refuseMalformedKey(key)
  const expecting = { ...plain, handler: 'expect-job-file', method: 'GET' }
  const expected = await execute({ ...call, lane: 'short', request: expecting })
  if (expected.status !== 200) return expected
  // Written by the handler of this call.
  const file: ExpectedFile = JSON.parse(expected.body ?? '')
  refuseOtherType(file.format, reply.request.fileType)
  const stored = await bodies.upload(reply, facts.workspace.id, () =>
    files.store(facts, { bytes: bytesOf(reply.request), expected: file }),
  )
  const body = { text: JSON.stringify({ sha256: stored.sha256 }), readable: true }
  const answer = await execute({ ...call, request: { ...plain, body, file: stored } })
  if (!isTaken(answer)) await files.drop(facts, stored)
  return answer
}

const mediaTypes = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

function refuseOtherType(format: ExpectedFile['format'], sent = ''): void {
  const type = sent.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === '' || type === mediaTypes[format]) return
  const accepted = mediaTypes[format]
  refuseValue(
    'file',
    `The file must be sent as ${accepted}, the format of the job. The Content-Type is ${type.slice(0, 100)}.`,
  )
}

/** If the outcome is unknown, the response may have been stored. If it was not, the file expires. */
function isTaken({ status, headers }: Answer): boolean {
  return (status === 202 && headers?.['Idempotent-Replayed'] === undefined) || status >= 500
}

/** Stores the content of a file while it is received, and then makes the call that adds it to a record. */
export async function receiveFile(
  reply: FastifyReply,
  { call, execute }: FeedReader,
  { contents, bodies, file_limits }: Pick<AppParts, 'contents' | 'bodies' | 'file_limits'>,
): Promise<Answer> {
  const { facts, request: plain } = call
  const key = keyIn(plain)
  if (key !== undefined) refuseMalformedKey(key)
  const { raw, headers, fileType: content_type = '' } = reply.request
  const length = headers['content-length'] === undefined ? null : Number(headers['content-length'])
  contents.refuseLarge(length ?? 0)
  const announced = { content_type, encoding: encodingOf(headers), length }
  const expecting = { ...plain, handler: 'expect-file', method: 'GET', announced }
  const expected = await execute({ ...call, lane: 'short', request: expecting })
  if (expected.status !== 200) return expected
  const draft = await bodies.stream(reply, () =>
    contents.receive(wholeOf(raw, raw.iterator({ destroyOnReturn: false }))),
  )
  const stored = await contents.store(facts.workspace.id, draft)
  const body = { text: JSON.stringify({ sha256: stored.sha256 }), readable: true }
  const content = { ...stored, content_type, ...file_limits }
  const answer = await execute({ ...call, request: { ...plain, body, announced, content } })
  if (answer.status !== 201) await contents.release(stored)
  return answer
}

function encodingOf(headers: FastifyRequest['headers']): string {
  return (headers['content-encoding'] ?? 'identity').toString().trim().toLowerCase()
}

/** The body, decompressed. The request itself stays open, so that it can be answered before its end. */
async function* bytesOf({ raw, headers }: FastifyRequest): AsyncGenerator<Buffer> {
  const encoding = encodingOf(headers)
  const sent = raw.iterator({ destroyOnReturn: false })
  if (encoding === 'identity') return yield* wholeOf(raw, sent)
  if (encoding !== 'gzip') refuseValue('file', 'The Content-Encoding must be gzip, or not be sent.')
  const gunzip = createGunzip({ chunkSize: UNPACKED_CHUNK_BYTES })
  let packed = 0
  let unpacked = 0
  const feeding = pipeline(counted(), gunzip)
  // The decompressed stream ends with the same error.
  feeding.catch(() => {})
  try {
    for await (const some of gunzip) {
      yield some
      unpacked += some.length
      if (unpacked > IMPORT_RATIO_FREE_BYTES && unpacked > packed * IMPORT_RATIO_MAX) refuseRatio()
    }
    await feeding
  } catch (error) {
    if (!isZlibError(error)) throw error
    refuseValue('file', 'The gzip data is damaged or was cut off. Send the whole file again.')
  } finally {
    gunzip.destroy()
  }

  async function* counted(): AsyncGenerator<Buffer> {
    for await (const some of wholeOf(raw, sent)) {
      packed += some.length
      yield some
    }
  }
}

const UNPACKED_CHUNK_BYTES = 64 * 1024

function refuseRatio(): never {
  const most = `at most ${IMPORT_RATIO_MAX} times is accepted`
  refuseValue('file', `The gzip data unpacks to too many times its size: ${most}. Send the file without gzip.`)
}

/** Throws if the connection breaks, which is not the end of the file. */
async function* wholeOf(raw: IncomingMessage, sent: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* sent
  if (!raw.complete) throw new Error('The connection was closed before the end of the file.')
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}
