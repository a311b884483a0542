import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { Objects } from '../../contents/content-store.ts'
import type { LogPosition } from '../../storage/engines/sqlite/log.ts'
import { refuseFile } from '../encryption.ts'

/*
 * A continuous backup is a place with chains: folders named by a ULID. A chain has copies of the whole database, and
 * segments: the pages that changed since the segment before, numbered from 1. A copy is made while others write, so it
 * is only complete with the segments from `first` to `last`. The segments after them lead to later moments.
 *
 *   <chain>/<number>-<since>-<at>-<sha256>.pages        times in milliseconds
 *   <chain>/copy-<at>/<number>-<sha256>.part
 *   <chain>/copy-<at>-<sha256>.json           written when all of the copy is there
 *   <chain>/seen.json                                   nothing changed from the last segment until then
 *
 * A chain ends when the log of the database was not read to its end before it was restarted. The next one begins then.
 */

/** An object whose name has its hash. */
export type Named = { key: string; sha256: string; size: number }

/**
 * `at`: when the log was read, so nothing in it is later. `since`: until then nothing had changed since the segment
 * before, as far as was seen.
 */
export type Segment = Named & { number: number; since: number; at: number }

/** The text of the object that describes a copy of the database. `at` is the first moment that it can restore. */
export type CopyHead = {
  kith_continuous: number
  page_size: number
  /** The size of the copied file. Segments say the size after them. */
  pages: number
  first: number
  last: number
  at: number
  /** What was committed before is in it. */
  began: number
  /** How often the log was read. */
  every_ms: number
  parts: readonly Named[]
}

export type Copy = CopyHead & { key: string }

type Chain = {
  id: string
  /** In the order of their numbers. */
  segments: Segment[]
  /** In the order of their moments. Damaged ones are left out. */
  copies: Copy[]
  damaged: string[]
  seen: { number: number; at: number } | undefined
}

/** The first line of a segment. `size` is the size of the database after it, in pages. */
export type SegmentHead = {
  number: number
  size: number
  page_size: number
  position: LogPosition
  /** What was committed before is in it. */
  began: number
  /** The first segment of the same log: a copy that begins now needs the segments from there. */
  log_first: number
}

export const CONTINUOUS_FORMAT = 1

const SEGMENT = /^([0-9a-z]{26})\/(\d{10})-(\d{13})-(\d{13})-([\da-f]{64})\.pages$/
const COPY = /^([0-9a-z]{26})\/copy-(\d{13})-([\da-f]{64})\.json$/
const SEEN = /^([0-9a-z]{26})\/seen\.json$/

export const segmentKey = (chain: string, { number, since, at, sha256 }: Omit<Segment, 'key' | 'size'>) =>
  `${chain}/${padded(number, 10)}-${padded(since, 13)}-${padded(at, 13)}-${sha256}.pages`

export const copyKey = (chain: string, { at, sha256 }: { at: number; sha256: string }) =>
  `${chain}/copy-${padded(at, 13)}-${sha256}.json`

export const partKey = (chain: string, { begun, number, sha256 }: { begun: number; number: number; sha256: string }) =>
  `${chain}/copy-${padded(begun, 13)}/${padded(number, 6)}-${sha256}.part`

export const seenKey = (chain: string) => `${chain}/seen.json`

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0')
}

/** All chains of a place, in the order in which they began. */
export async function readChains(objects: Objects): Promise<Chain[]> {
  const chains = new Map<string, Chain>()
  const chain = (id: string) =>
    chains.getOrInsertComputed(id, () => ({ id, segments: [], copies: [], damaged: [], seen: undefined }))
  const described: { chain: Chain; named: Named }[] = []
  const seen: { chain: Chain; key: string }[] = []
  for await (const { key, size } of objects.list()) {
    const [, id = '', number, since, at, sha256 = ''] = SEGMENT.exec(key) ?? []
    if (number)
      chain(id).segments.push({ key, sha256, size, number: Number(number), since: Number(since), at: Number(at) })
    const [, of, , hash = ''] = COPY.exec(key) ?? []
    if (of) described.push({ chain: chain(of), named: { key, sha256: hash, size } })
    const [, owner] = SEEN.exec(key) ?? []
    if (owner) seen.push({ chain: chain(owner), key })
  }
  for (const { chain, named } of described) {
    const head = await readCopyHead(objects, named)
    if (head) chain.copies.push(head)
    else chain.damaged.push(named.key)
  }
  for (const { chain, key } of seen) chain.seen = await readSeen(objects, key)
  for (const { segments, copies } of chains.values()) {
    segments.sort((one, other) => one.number - other.number)
    copies.sort((one, other) => one.at - other.at)
  }
  return [...chains.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
}

async function readCopyHead(objects: Objects, { key, sha256 }: Named): Promise<Copy | undefined> {
  const found = await objects.open(key)
  const content = found && (await text(found.bytes))
  if (content === undefined || hashOf(content) !== sha256) return undefined
  // Written by the shipper: the hash says so.
  const head = JSON.parse(content) as CopyHead
  if (head.kith_continuous === CONTINUOUS_FORMAT) return { ...head, key }
  return refuseFile(`${key} is in another format (${head.kith_continuous}). Restore it with the version that made it.`)
}

async function readSeen(objects: Objects, key: string): Promise<Chain['seen']> {
  const found = await objects.open(key)
  try {
    return found && (JSON.parse(await text(found.bytes)) as Chain['seen'])
  } catch {
    // It only says that nothing changed. Without it the last segment is the end.
    return undefined
  }
}

export function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex')
}

type Range = { from: number; to: number }

/** A copy of the database, the segments that follow it without a gap, and the moments that they restore. */
export type Span = { chain: Chain; copy: Copy; segments: readonly Segment[]; ranges: readonly Range[]; gap?: string }

/** What can be restored, in the order of time. A copy whose own segments are missing restores nothing. */
export function spansOf(chains: readonly Chain[]): Span[] {
  const spans: Span[] = []
  for (const chain of chains) {
    for (const copy of chain.copies) {
      const after = chain.segments.filter(({ number }) => number >= copy.first)
      const broken = after.findIndex(({ number }, index) => number !== copy.first + index)
      const segments = broken === -1 ? after : after.slice(0, broken)
      const reached = segments.at(-1)?.number ?? copy.first - 1
      if (reached < copy.last) continue
      const gap = broken === -1 ? {} : { gap: `Segment ${copy.first + broken} of ${chain.id} is missing.` }
      spans.push({ chain, copy, segments, ranges: rangesOf(chain, copy, segments), ...gap })
    }
  }
  return spans.sort((one, other) => one.copy.at - other.copy.at)
}

/** While the backup did not run, changes may have been made that are only in the next segment. */
const HOLE_MS = 10_000

function rangesOf({ seen }: Chain, copy: Copy, segments: readonly Segment[]): Range[] {
  let range = { from: copy.at, to: copy.at }
  const ranges = [range]
  for (const { number, since, at } of segments) {
    if (number <= copy.last) continue
    if (at - Math.max(since, range.from) > Math.max(HOLE_MS, 2 * copy.every_ms)) {
      range.to = Math.max(range.to, since)
      range = { from: at, to: at }
      ranges.push(range)
    }
    range.to = Math.max(range.to, at)
  }
  const reached = segments.at(-1)?.number ?? copy.first - 1
  if (seen?.number === reached) range.to = Math.max(range.to, seen.at)
  return ranges
}

/** The ranges of several spans, put together where they meet. */
export function joined(spans: readonly Span[]): Range[] {
  const all = spans.flatMap(({ ranges }) => ranges).sort((one, other) => one.from - other.from)
  const result: Range[] = []
  for (const { from, to } of all) {
    const last = result.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else result.push({ from, to })
  }
  return result
}
