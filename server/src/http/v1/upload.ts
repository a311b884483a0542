import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { refuseValue } from '@kith/contract/refusal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Answer } from '../../calls/answer.ts'
import type { ExpectedFile } from '../../jobs/change-job.ts'
import { checkFile } from '../../jobs/import/check-file.ts'
import type { AppParts } from '../parts.ts'
import type { Following } from './hold.ts'
import { keyIn } from './idempotency.ts'

/** A route that receives a file gets its body as a stream. */
export function receiveFiles(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, body, done) => done(null, body))
}

/** The media types as they were sent. Fastify rejects malformed ones before any other check. */
const sentTypes = new WeakMap<FastifyRequest, string>()

export function keepMediaType(request: FastifyRequest): void {
  const { headers } = request.raw
  if (headers['content-type'] === undefined) return
  sentTypes.set(request, headers['content-type'])
  headers['content-type'] = 'application/octet-stream'
}

/** Stores the body of a request as a file, piece by piece, and then makes the call that takes it. */
export async function receiveFile(
  request: FastifyRequest,
  { call, execute }: Following,
  { files }: Pick<AppParts, 'files'>,
): Promise<Answer> {
  const { facts, request: plain } = call
  // A malformed key is refused before the file is read.
  keyIn(plain)
  const expecting = { ...plain, handler: 'expect-job-file', method: 'GET' }
  const expected = await execute({ ...call, lane: 'short', request: expecting })
  if (expected.status !== 200) return expected
  // Written by the handler of that call.
  const { format, delimiter, columns }: ExpectedFile = JSON.parse(expected.body ?? '')
  refuseOtherType(format, sentTypes.get(request))
  const check = checkFile({ format, delimiter, isColumn: (name) => columns.includes(name) })
  const file = await files.store(facts, { bytes: bytesOf(request), check })
  const body = { text: JSON.stringify({ sha256: file.sha256 }), readable: true }
  const answer = await execute({ ...call, request: { ...plain, body, file } })
  if (!isTaken(answer)) await files.drop(facts, file)
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

/** The outcome is unknown, so the response may have been stored. If it was not, the upkeep deletes the file. */
function isTaken({ status, headers }: Answer): boolean {
  return (status === 202 && headers?.['Idempotent-Replayed'] === undefined) || status >= 500
}

/** The body, unpacked. The request itself stays open, so that it can be answered before its end. */
async function* bytesOf({ raw, headers }: FastifyRequest): AsyncGenerator<Buffer> {
  const encoding = (headers['content-encoding'] ?? 'identity').toString().trim().toLowerCase()
  const sent = raw.iterator({ destroyOnReturn: false })
  if (encoding === 'identity') return yield* wholeOf(raw, sent)
  if (encoding !== 'gzip') refuseValue('file', 'The Content-Encoding must be gzip, or not be sent.')
  const gunzip = createGunzip()
  const feeding = pipeline(wholeOf(raw, sent), gunzip)
  // The unpacked bytes end with the same error.
  feeding.catch(() => {})
  try {
    yield* gunzip
    await feeding
  } catch (error) {
    if (!isZlibError(error)) throw error
    refuseValue('file', 'The gzip data is damaged or was cut off. Send the whole file again.')
  } finally {
    gunzip.destroy()
  }
}

/** A connection that breaks is no end of the file. */
async function* wholeOf(raw: IncomingMessage, sent: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* sent
  if (!raw.complete) throw new Error('The connection was closed before the end of the file.')
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}
