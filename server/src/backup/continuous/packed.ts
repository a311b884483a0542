import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import type { Draft, Objects } from '../../contents/content-store.ts'
import { writeDraft } from '../../contents/draft.ts'
import type { Page } from '../../storage/engines/sqlite/log.ts'
import { codeOf } from '../../storage/engines/storage-trouble.ts'
import type { Named, SegmentHead } from './chain.ts'

/** An object is missing, was changed or was cut short. */
export class DamagedObject extends Error {
  readonly key: string

  constructor(key: string, cause?: unknown) {
    super(`${key} is damaged or missing.`, { cause })
    this.key = key
  }
}

/** Compresses bytes into a draft. */
export function packed(objects: Objects, bytes: AsyncIterable<Buffer> | Iterable<Buffer>, now: Date): Promise<Draft> {
  const gzip = createGzip({ level: 1 })
  // An error ends the compression, and so the draft.
  pipeline(Readable.from(bytes, { objectMode: true, highWaterMark: 2 }), gzip, () => {})
  return writeDraft(objects, gzip, { max_mb: Number.POSITIVE_INFINITY, now })
}

/** The content of an object. The last piece comes only if all of it has its hash. */
export async function* unpacked(objects: Objects, { key, sha256 }: Named): AsyncGenerator<Buffer> {
  const found = await objects.open(key)
  if (!found) throw new DamagedObject(key)
  const hash = createHash('sha256')
  async function* hashed(bytes: AsyncIterable<Buffer>) {
    for await (const some of bytes) {
      hash.update(some)
      yield some
    }
  }
  const gunzip = createGunzip()
  pipeline(found.bytes, hashed, gunzip, () => {})
  let held: Buffer | undefined
  try {
    for await (const piece of gunzip) {
      if (held) yield held
      // The stream yields buffers, but its type does not say so.
      held = piece as Buffer
    }
  } catch (error) {
    if (codeOf(error).startsWith('Z_')) throw new DamagedObject(key, error)
    throw error
  }
  if (hash.digest('hex') !== sha256) throw new DamagedObject(key)
  if (held) yield held
}

const NUMBER_BYTES = 4
const PIECE_BYTES = 256 * 1024

/** A segment: a line of JSON, then each page after its number. */
export function* segmentBytes(head: SegmentHead, pages: Iterable<Page>): Generator<Buffer> {
  let pieces: Buffer[] = [Buffer.from(`${JSON.stringify(head)}\n`)]
  let size = 0
  for (const { number, bytes } of pages) {
    const name = Buffer.alloc(NUMBER_BYTES)
    name.writeUInt32BE(number)
    pieces.push(name, bytes)
    size += bytes.length
    if (size < PIECE_BYTES) continue
    yield Buffer.concat(pieces)
    pieces = []
    size = 0
  }
  yield Buffer.concat(pieces)
}

/** Reads a segment to its end and passes on its pages. They are certain only once the head is returned. */
export async function readSegment(
  objects: Objects,
  segment: Named,
  use: (page: Page) => void = () => {},
): Promise<SegmentHead> {
  let head: SegmentHead | undefined
  let waiting: Buffer = Buffer.alloc(0)
  for await (const piece of unpacked(objects, segment)) {
    waiting = Buffer.concat([waiting, piece])
    if (!head) {
      const end = waiting.indexOf('\n')
      if (end === -1) continue
      head = parseHead(segment, waiting.subarray(0, end))
      waiting = waiting.subarray(end + 1)
    }
    const step = NUMBER_BYTES + head.page_size
    let at = 0
    for (; at + step <= waiting.length; at += step) {
      use({ number: waiting.readUInt32BE(at), bytes: waiting.subarray(at + NUMBER_BYTES, at + step) })
    }
    waiting = waiting.subarray(at)
  }
  if (!head || waiting.length > 0) throw new DamagedObject(segment.key)
  return head
}

function parseHead({ key }: Named, line: Buffer): SegmentHead {
  try {
    // Written by the shipper. The hash is checked at the end.
    return JSON.parse(line.toString()) as SegmentHead
  } catch (error) {
    throw new DamagedObject(key, error)
  }
}
