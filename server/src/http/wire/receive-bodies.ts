import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import {
  BODIES_MAX_BYTES,
  BODIES_PER_CALLER,
  BODIES_PER_CALLER_MAX_BYTES,
  BODY_FREE_BYTES,
  BODY_VALUES_MAX,
  FORM_SECONDS,
  KNOWN_BODIES_MAX,
  UNKNOWN_BODIES_MAX,
  UPLOADS_IN_ALL,
  UPLOADS_PER_WORKSPACE,
} from '@kith/contract/limits'
import { Refusal, refuse } from '@kith/contract/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '../../accounts/sign-in/sign-in-limit.ts'
import type { SentBody } from '../../calls/call.ts'
import { newTurns } from '../../scope/large-work.ts'
import type { LoadShedder } from '../../telemetry/observability.ts'
import { leaveInFlight } from './event-stream.ts'

/** Receives the bodies of requests. Limits how many arrive at a time and how much memory they use. */
export type Bodies = {
  /** Not a promise if the body has arrived. */
  read(reply: FastifyReply): Promise<Buffer> | Buffer
  /** `work` reads the body, and does not hold it in memory. */
  stream<T>(reply: FastifyReply, work: () => Promise<T>): Promise<T>
  /** Also counts it as a file that an import of the workspace receives. */
  upload<T>(reply: FastifyReply, workspaceId: string, work: () => Promise<T>): Promise<T>
}

/** Reads bodies as bytes. The operation reports problems of the body after all earlier checks. */
export function readBodiesAsBytes(app: FastifyInstance, { bodies }: { bodies: Bodies }): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, body, done) => done(null, body))
  app.addHook('preValidation', (request, reply, done) => {
    if (request.body !== request.raw) return done()
    const set = (body: Buffer) => {
      request.body = body
    }
    const body = bodies.read(reply)
    if (body instanceof Promise) return body.then(set)
    set(body)
    done()
  })
}

/** A route that receives a file reads its body itself. */
export function leaveBodiesUnread(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
}

/** A body that arrives this soon after its head, as most do, needs no place. */
const SOON_MS = 100

/**
 * A request whose body is still arriving is not in flight, so that slow clients do not use up the capacity. Small
 * bodies that arrive with their head or soon after it are never refused, even when slow ones have taken all places.
 */
export function openBodies(shedder: LoadShedder): Bodies {
  const bodiesArriving: Usage = new Map()
  const bytes: Usage = new Map()
  const busy = () => shedder.refuse('bodies')

  /** The limits that a request counts towards. Callers without an account cannot use up the places of all others. */
  function sharesOf({ request }: FastifyReply): { places: Share[]; memory: Share[] } {
    const { caller } = request
    const address = { key: addressOf(request), most: BODIES_PER_CALLER, refuse: () => tooMany(ADDRESS) }
    const user = caller && { key: callerOf(request), most: BODIES_PER_CALLER, refuse: () => tooMany(USER) }
    const all = user
      ? { key: 'known', most: KNOWN_BODIES_MAX, refuse: busy }
      : { key: 'unknown', most: UNKNOWN_BODIES_MAX, refuse: busy }
    const own = { key: callerOf(request), most: BODIES_PER_CALLER_MAX_BYTES, refuse: tooMuch }
    return {
      places: user ? [user, address, all] : [address, all],
      memory: [own, { key: 'all', most: BODIES_MAX_BYTES, refuse: busy }],
    }
  }

  /** `work` gets a function that takes a place. */
  async function receive<T>(reply: FastifyReply, places: Share[], work: (enter: () => void) => Promise<T>): Promise<T> {
    const comeBack = leaveInFlight(reply, shedder)
    let isIn = false
    function enter(): void {
      if (!isIn) take(bodiesArriving, places, 1)
      isIn = true
    }
    try {
      const received = await work(enter)
      comeBack()
      return received
    } catch (error) {
      reply.header('Connection', 'close')
      if (!isLate(error)) await drain(reply.request.raw)
      throw error
    } finally {
      if (isIn) give(bodiesArriving, places, 1)
    }
  }

  /**
   * Reserves the memory of a body until its request is answered, because it may wait for other threads and the
   * database.
   */
  function holdMemory({ raw }: FastifyReply, shares: Share[]): (length: number) => void {
    if (raw.closed) disconnected()
    let held = 0
    raw.once('close', () => give(bytes, shares, held))
    return (length) => {
      const more = length - BODY_FREE_BYTES - held
      if (more <= 0) return
      take(bytes, shares, more)
      held += more
    }
  }

  async function arriving(reply: FastifyReply): Promise<Buffer> {
    const { raw, routeOptions } = reply.request
    const { bodyLimit: most } = routeOptions
    // What came in one packet with the head is parsed by then.
    await new Promise((turn) => setImmediate(turn))
    if (raw.complete) return buffered(raw, most)
    const { places, memory } = sharesOf(reply)
    const body = await receive(reply, places, async (enter) => {
      const length = Number(raw.headers['content-length'] ?? 0)
      if (length > most) tooLarge(most)
      const hold = holdMemory(reply, memory)
      hold(length)
      const limits: Timeout[] = reply.request.caller ? [] : [{ ms: FORM_SECONDS * 1000, step: late }]
      return collected(raw, { most, hold, look: limitValues(), timed: [{ ms: SOON_MS, step: enter }, ...limits] })
    })
    shedder.refuseWhenFull()
    return body
  }

  function entered<T>(reply: FastifyReply, places: Share[], work: () => Promise<T>): Promise<T> {
    return receive(reply, [...places, ...sharesOf(reply).places], async (enter) => {
      enter()
      return work()
    })
  }

  return {
    read(reply) {
      const { raw, routeOptions } = reply.request
      return raw.complete ? buffered(raw, routeOptions.bodyLimit) : arriving(reply)
    },
    stream: (reply, work) => entered(reply, [], work),
    upload(reply, workspaceId, work) {
      const own = { key: `files of ${workspaceId}`, most: UPLOADS_PER_WORKSPACE, refuse: tooManyFiles }
      return entered(reply, [own, { key: 'files', most: UPLOADS_IN_ALL, refuse: busy }], work)
    },
  }
}

/** A step to take if a body is incomplete after a time. */
type Timeout = { ms: number; step: () => void }

/** A body that has arrived. */
function buffered(raw: IncomingMessage, most: number): Buffer {
  if (raw.destroyed) disconnected()
  const chunks: Buffer[] = []
  for (let chunk = raw.read(); chunk !== null; chunk = raw.read()) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  if (body.length > most) tooLarge(most)
  return body
}

/** A body that is still arriving, once it is complete. */
async function collected(
  raw: IncomingMessage,
  {
    most,
    hold,
    look,
    timed,
  }: {
    most: number
    hold: (length: number) => void
    look: (chunk: Buffer) => void
    timed: readonly Timeout[]
  },
): Promise<Buffer> {
  if (raw.destroyed) disconnected()
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let length = 0
  function orReject(step: () => void): void {
    try {
      step()
    } catch (error) {
      reject(error)
    }
  }
  const add = (chunk: Buffer) =>
    orReject(() => {
      length += chunk.length
      if (length > most) tooLarge(most)
      hold(length)
      look(chunk)
      chunks.push(chunk)
    })
  const end = () => resolve(Buffer.concat(chunks))
  // A connection may close right after the end.
  const close = () => raw.readableEnded || orReject(disconnected)
  const timers = timed.map(({ ms, step }) => setTimeout(() => orReject(step), ms))
  raw.on('data', add).on('end', end).on('error', close).on('close', close)
  try {
    return await promise
  } finally {
    for (const timer of timers) clearTimeout(timer)
    raw.off('data', add).off('end', end).off('error', close).off('close', close)
  }
}

const DRAIN_MAX_BYTES = 64 * 1024 * 1024

const DRAIN_MS = 5000

const drainTurn = newTurns()

/**
 * Reads and discards the rest of a body, up to a limit. Many clients read the answer only after they have sent
 * everything; if the connection closes earlier, they report a broken connection instead. Each turn of the event loop
 * reads one chunk: otherwise a socket returns up to 2 MB at once, and a hundred of them would delay all requests.
 */
function drain(raw: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (raw.readableEnded || raw.destroyed) return resolve()
    let bytes = 0
    const timer = setTimeout(stop, DRAIN_MS)
    function stop(): void {
      clearTimeout(timer)
      raw.off('data', count)
      resolve()
    }
    function count(chunk: Buffer): void {
      bytes += chunk.length
      raw.pause()
      if (bytes > DRAIN_MAX_BYTES) stop()
      else void next()
    }
    async function next(): Promise<void> {
      await drainTurn()
      raw.resume()
    }
    raw.on('data', count).once('end', stop).once('close', stop).pause()
    void next()
  })
}

/** The user, or the address of a caller without an account. */
export function callerOf(request: FastifyRequest): string {
  return request.caller ? `of ${request.caller.user_id}` : addressOf(request)
}

function addressOf({ ip }: FastifyRequest): string {
  return `from ${networkOf(ip)}`
}

/** How much of each limit is used, by key. */
export type Usage = Map<string, number>

/** A limit, and the refusal above it. */
export type Share = { key: string; most: number; refuse: () => never }

/** Takes the amount from each limit, or refuses and takes nothing. */
export function take(taken: Usage, shares: readonly Share[], amount: number): void {
  for (const { key, most, refuse } of shares) if ((taken.get(key) ?? 0) + amount > most) refuse()
  for (const { key } of shares) taken.set(key, (taken.get(key) ?? 0) + amount)
}

export function give(taken: Usage, shares: readonly Share[], amount: number): void {
  for (const { key } of shares) {
    const left = (taken.get(key) ?? 0) - amount
    if (left > 0) taken.set(key, left)
    else taken.delete(key)
  }
}

const ADDRESS = 'from your address'

const USER = 'of this user'

const RETRY_SECONDS = 1

function tooMany(whose: string): never {
  const most = `at most ${BODIES_PER_CALLER} at once are accepted`
  refuse({
    kind: 'rate_limited',
    message: `Too many request bodies ${whose} are arriving: ${most}. Retry shortly.`,
    retry_after: RETRY_SECONDS,
  })
}

function tooMuch(): never {
  const most = `${BODIES_PER_CALLER_MAX_BYTES / 1024 / 1024} MiB`
  const message = `The request bodies that you have sent and that are not answered yet have more than ${most} together.`
  refuse({
    kind: 'rate_limited',
    message: `${message} Wait until one of them is answered.`,
    retry_after: RETRY_SECONDS,
  })
}

function tooManyFiles(): never {
  const most = `at most ${UPLOADS_PER_WORKSPACE} at once are accepted`
  refuse({
    kind: 'rate_limited',
    message: `Too many files of the workspace are being received: ${most}. Wait until one of them has arrived.`,
    retry_after: RETRY_SECONDS,
  })
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c]

/** How much each byte that separates or begins values counts. */
const WEIGHTS = new Uint8Array(256)
for (const [text, weight] of Object.entries({ ',': 1, '[': 3, '{': 3 })) WEIGHTS[text.charCodeAt(0)] = weight

/**
 * Refuses a body with too many values while it arrives: to parse 8 MB of empty objects would take a second of the event
 * loop, and to receive the rest of them takes as long as many requests.
 */
function limitValues(): (chunk: Buffer) => void {
  const seen: Buffer[] = []
  let bytes = 0
  let count: ((chunk: Buffer) => void) | undefined
  return (chunk) => {
    if (count) return count(chunk)
    seen.push(chunk)
    for (let at = 0; at < chunk.length; at++) bytes += weightOf(chunk[at])
    // Most bodies have few of these bytes. Otherwise those in strings, which are no values, matter.
    if (bytes <= BODY_VALUES_MAX) return
    count = countValues()
    for (const one of seen) count(one)
  }
}

function countValues(): (chunk: Buffer) => void {
  let values = 0
  let inString = false
  let isEscaped = false
  return (chunk) => {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (isEscaped) isEscaped = false
      else if (inString && byte === BACKSLASH) isEscaped = true
      else if (byte === QUOTE) inString = !inString
      else if (!inString) values += weightOf(byte)
    }
    if (values > BODY_VALUES_MAX) tooManyValues()
  }
}

function weightOf(byte: number | undefined): number {
  return WEIGHTS[byte ?? 0] ?? 0
}

function tooManyValues(): never {
  const most = `at most ${BODY_VALUES_MAX.toLocaleString('en-US')} are accepted, and an object or a list counts as three`
  refuse({ kind: 'too_large', message: `The request body has too many values: ${most}.` })
}

function tooLarge(most: number): never {
  const size = most % (1024 * 1024) === 0 ? `${most / 1024 / 1024} MiB` : `${most / 1024} KB`
  refuse({ kind: 'too_large', message: `The request body is too large: at most ${size} are accepted.` })
}

function late(): never {
  refuse({ kind: 'late', message: `The request body did not arrive within ${FORM_SECONDS} s.` })
}

function disconnected(): never {
  refuse({ kind: 'late', message: 'The connection was closed before the request body was complete.' })
}

function isLate(error: unknown): boolean {
  return error instanceof Refusal && error.reason.kind === 'late'
}

const JSON_TYPE = /^application\/(vnd\.api\+)?json *(;|$)/i

/** Fastify rejects an unparsable media type before any other check, so it only sees two known ones. */
export function normalizeMediaType({ headers }: IncomingMessage): void {
  const sent = headers['content-type']
  if (sent !== undefined)
    headers['content-type'] = JSON_TYPE.test(sent) ? 'application/json' : 'application/octet-stream'
}

export function sentBody({ body, headers }: FastifyRequest): SentBody {
  if (!Buffer.isBuffer(body) || body.length === 0) return { text: null, readable: true }
  const readable = JSON_TYPE.test(headers['content-type'] ?? '') && isUtf8(body)
  return { text: readable ? body.toString() : null, readable }
}
