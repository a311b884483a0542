import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '@kith/contract/id'
import { DAY_MS } from '@kith/contract/limits'
import type { Draft, Objects } from '../../contents/content-store.ts'
import { removeDrafts, writeDraft } from '../../contents/draft.ts'
import {
  type FollowedLog,
  LogLost,
  type LogPart,
  type LogPosition,
  type Page,
} from '../../storage/engines/sqlite/log.ts'
import { refuseFile } from '../encryption.ts'
import {
  CONTINUOUS_FORMAT,
  type CopyHead,
  copyKey,
  hashOf,
  type Named,
  partKey,
  readChains,
  type SegmentHead,
  seenKey,
  segmentKey,
  spansOf,
} from './chain.ts'
import { expireMoments } from './expire-moments.ts'
import { DamagedObject, packed, readSegment, segmentBytes } from './packed.ts'

type Shipping = {
  objects: Objects
  log: FollowedLog
  now(): Date
  every_ms: number
  keep_days: number
  tell(line: string): void
  ending: AbortSignal
  /** How much may wait for the place. */
  waiting_max_bytes?: number
}

/** A copy of the whole database is made every day, and when the segments since the last one are larger than it. */
const COPY_EVERY_MS = DAY_MS
const COPY_AGAIN_MS = 10 * 60_000
const COPY_RETRY_MS = 60_000
const PART_PAGES = 4096

/** A place that takes nothing must not fill the disk of the service. */
const WAITING_MAX_BYTES = 1024 ** 3

const SEEN_EVERY_MS = 30_000

/** What one transaction left may take in memory while writers wait: 32 MB. */
const TAKEN_MAX_PAGES = 8192

/** A copy until the segments that belong to it are in the place. */
type Unfinished = Omit<CopyHead, 'last' | 'began' | 'at'>

type Waiting = { draft: Draft; key: string }

/** The state of the chain that is written. */
type Going = {
  chain: string
  /** The number of the last segment. */
  number: number
  position: LogPosition | undefined
  log_first: number
  /** The moment of the last segment. Moments ascend, also if the clock does not. */
  at: number
  /** When the last reading of the log began. */
  read: number
  /** The bytes of the segments since the last copy began, and of that copy. */
  since: number
  copied: number
  copy_at: number
}

/**
 * Ships the log of a database to a place until it is ended: what was committed is there after at most an interval and
 * the time that storing it takes.
 */
export async function ship({
  objects,
  log,
  now,
  every_ms,
  keep_days,
  tell,
  ending,
  waiting_max_bytes = WAITING_MAX_BYTES,
}: Shipping): Promise<void> {
  // Another process may be writing a younger draft.
  await removeDrafts(objects, new Date(now().getTime() - DAY_MS))
  let going = await continued(objects, log, now())
  let copying: Promise<void> | undefined
  let copy: Unfinished | undefined
  let seen_at = 0
  const waiting: Waiting[] = []
  let failing = false

  async function queue(part: LogPart, pages: Iterable<Page>, began: number): Promise<void> {
    const at = Math.max(now().getTime(), going.at + 1)
    const number = going.number + 1
    const log_first = part.restarted || going.position === undefined ? number : going.log_first
    const { position, size } = part
    const head: SegmentHead = { number, size, page_size: log.page_size, position, began, log_first }
    const draft = await packed(objects, segmentBytes(head, pages), now())
    waiting.push({ draft, key: segmentKey(going.chain, { number, since: going.read, at, sha256: draft.sha256 }) })
    going = { ...going, number, position, log_first, at, read: began, since: going.since + draft.size }
  }

  /** Reads the log to its end. What was read is safe to leave it. */
  async function readLog(): Promise<void> {
    const began = now().getTime()
    const part = log.read(going.position)
    if (part) await queue(part, log.pages(part), began)
    else going.read = began
    log.release()
    const rest = await log.restart(() => {
      const again = now().getTime()
      const left = log.read(going.position)
      if (left && left.frames.size > TAKEN_MAX_PAGES) return undefined
      return { left, again, pages: left ? [...log.pages(left)] : [] }
    })
    if (rest?.left) await queue(rest.left, rest.pages, rest.again)
    else if (rest) going.read = rest.again
  }

  /** Stores what waits, in its order. */
  async function store(): Promise<void> {
    try {
      for (let next = waiting[0]; next; next = waiting[0]) {
        await objects.put(next.key, next.draft)
        waiting.shift()
      }
      if (failing) tell('The place takes segments again.')
      failing = false
    } catch (error) {
      if (!failing) tell(`A segment could not be stored: ${String(error)} It is tried again.`)
      failing = true
      const bytes = waiting.reduce((sum, { draft }) => sum + draft.size, 0)
      if (bytes > waiting_max_bytes) refuseFile('The place has taken nothing for too long. Start again later.')
    }
  }

  async function dropWaiting(): Promise<void> {
    for (const { draft } of waiting.splice(0)) await rm(draft.path, { force: true })
  }

  /** Says that nothing has changed. */
  async function storeSeen(at: number): Promise<void> {
    await storeText(objects, seenKey(going.chain), JSON.stringify({ number: going.number, at }), now())
    seen_at = at
  }

  async function begin(error: LogLost): Promise<void> {
    tell(`${error.message} The moments since the last segment cannot be restored. A new copy begins.`)
    await store()
    // Its segments are in the place, or lost with the chain.
    await dropWaiting()
    copy = undefined
    going = newGoing(now())
  }

  function beginCopy(at: number): void {
    const [chain, first] = [going.chain, going.position === undefined ? going.number + 1 : going.log_first]
    going = { ...going, since: 0, copy_at: at }
    copying = copyDatabase({ objects, log, now, ending }, { chain, begun: at })
      .then((made) => {
        if (going.chain === chain) {
          copy = { kith_continuous: CONTINUOUS_FORMAT, page_size: log.page_size, every_ms, first, ...made }
        }
        going.copied = made.parts.reduce((sum, { size }) => sum + size, 0)
      })
      .catch((error) => {
        if (!ending.aborted) tell(`The database could not be copied: ${String(error)} It is tried again.`)
        going.copy_at = at - COPY_EVERY_MS + COPY_RETRY_MS
      })
      .finally(() => {
        copying = undefined
      })
  }

  /** A copy is complete once the pages that changed while it was made are in the place. */
  async function endCopy(made: Unfinished, { began, at }: { began: number; at: number }): Promise<void> {
    const text = JSON.stringify({ ...made, last: going.number, began, at } satisfies CopyHead)
    await storeText(objects, copyKey(going.chain, { at, sha256: hashOf(text) }), text, now())
    copy = undefined
    going.at = at
    tell(`Copied the whole database: ${made.pages} pages, complete as of ${new Date(at).toISOString()}.`)
    await expireMoments(objects, new Date(at - keep_days * DAY_MS))
  }

  async function runStep(): Promise<void> {
    const made = copy
    const began = now().getTime()
    try {
      await readLog()
    } catch (error) {
      if (!(error instanceof LogLost)) throw error
      await begin(error)
    }
    const read_at = now().getTime()
    await store()
    try {
      if (!failing && made && made === copy) await endCopy(made, { began, at: Math.max(read_at, going.at) })
      if (!failing && began - Math.max(seen_at, going.at) >= SEEN_EVERY_MS) await storeSeen(began)
    } catch (error) {
      tell(`The place does not answer: ${String(error)} It is tried again.`)
    }
    if (!copying && !copy && isCopyDue(going, began)) beginCopy(began)
    await pause(Math.max(0, every_ms - (now().getTime() - began)), undefined, { signal: ending }).catch(() => {})
  }

  try {
    while (!ending.aborted) await runStep()
    await copying
    const ended = now().getTime()
    await readLog()
    await store()
    if (waiting.length > 0) refuseFile('The place does not take the last changes. They are not in the backup.')
    await storeSeen(ended)
  } finally {
    await dropWaiting()
  }
}

function isCopyDue({ copy_at, since, copied }: Going, now: number): boolean {
  const age = now - copy_at
  return age >= COPY_EVERY_MS || (since > copied && age >= COPY_AGAIN_MS)
}

function newGoing(now: Date): Going {
  const from = { number: 0, position: undefined, log_first: 1, at: 0, read: 0 }
  return { chain: newId(now.getTime()), ...from, since: 0, copied: 0, copy_at: 0 }
}

/** The last chain of the place, if the log still has all that came after it. */
async function continued(objects: Objects, log: FollowedLog, now: Date): Promise<Going> {
  const chain = (await readChains(objects)).at(-1)
  const span = chain && spansOf([chain]).at(-1)
  const last = chain?.segments.at(-1)
  // Where a segment is missing, only a new copy leads on.
  if (!span || !last || span.segments.at(-1) !== last) return newGoing(now)
  const head = await headOf(objects, last)
  if (!head) return newGoing(now)
  try {
    log.read(head.position)
  } catch (error) {
    if (error instanceof LogLost) return newGoing(now)
    throw error
  }
  const { number, position, log_first, began } = head
  const {
    copy,
    chain: { seen },
  } = span
  const later = span.segments.filter((segment) => segment.number > copy.last)
  return {
    chain: chain.id,
    ...{ number, position, log_first, at: last.at, read: seen?.number === number ? seen.at : began },
    since: later.reduce((sum, { size }) => sum + size, 0),
    copied: copy.parts.reduce((sum, { size }) => sum + size, 0),
    copy_at: copy.at,
  }
}

async function headOf(objects: Objects, segment: Named): Promise<SegmentHead | undefined> {
  try {
    return await readSegment(objects, segment)
  } catch (error) {
    if (error instanceof DamagedObject) return undefined
    throw error
  }
}

type Copying = Pick<Shipping, 'objects' | 'log' | 'now' | 'ending'>

/** Reads the file of the database while others write it. */
async function copyDatabase(
  { objects, log, now, ending }: Copying,
  { chain, begun }: { chain: string; begun: number },
): Promise<Pick<CopyHead, 'pages' | 'parts'>> {
  const parts: Named[] = []
  let pages = 0
  for (let isEnd = false; !isEnd; ) {
    const bytes = Buffer.alloc(PART_PAGES * log.page_size)
    const read = log.readDatabase(bytes, pages * log.page_size)
    isEnd = read < bytes.length
    const whole = Math.floor(read / log.page_size)
    pages += whole
    if (whole === 0) break
    const draft = await packed(objects, [bytes.subarray(0, whole * log.page_size)], now())
    const { sha256, size } = draft
    const key = partKey(chain, { begun, number: parts.length + 1, sha256 })
    await storeOrDrop(objects, key, draft)
    parts.push({ key, sha256, size })
    ending.throwIfAborted()
  }
  return { pages, parts }
}

async function storeText(objects: Objects, key: string, text: string, now: Date): Promise<void> {
  const draft = await writeDraft(objects, Readable.from([Buffer.from(text)]), { max_mb: 1, now })
  await storeOrDrop(objects, key, draft)
}

/** What is not stored is made again, so its draft must not stay. */
async function storeOrDrop(objects: Objects, key: string, draft: Draft): Promise<void> {
  try {
    await objects.put(key, draft)
  } catch (error) {
    await rm(draft.path, { force: true })
    throw error
  }
}
