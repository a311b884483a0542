import { setTimeout } from 'node:timers/promises'
import { Refusal } from '@kith/contract/refusal'
import type { FastifyReply } from 'fastify'
import type { Answer } from '../../calls/answer.ts'
import type { Call } from '../../calls/call.ts'
import { DISCONNECTED } from '../../calls/lanes.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { AppParts } from '../parts.ts'
import { leaveInFlight } from '../wire/in-flight.ts'

const POLL_MS = 500

export type V1Call = Extract<Call, { surface: 'v1' }>

/** How a call of a reader is made, and made again later. */
export type Following = {
  call: V1Call
  execute(call: V1Call): Promise<Answer>
  /** Checks again that the caller may read, and returns the current facts. */
  admitAgain(): Promise<ScopeFacts>
}

/** A response that is open for longer than its first call. */
export type Followed = { reply: FastifyReply; following: Following }

type HoldParts = Pick<AppParts, 'waiting' | 'shedder'>

/** Holds an answer that would be empty, for as long as its caller wants, until there is something to answer with. */
export async function holdEmpty(first: Answer, followed: Followed, parts: HoldParts): Promise<Answer> {
  const { waiting } = parts
  const seconds = first.aside?.follow?.wait ?? 0
  if (seconds === 0 || waiting.stopping.aborted) return first
  const { facts } = followed.following.call
  const until = performance.now() + seconds * 1000
  return whileHeld(followed, parts, async (signal) => {
    let answer = first
    for (let follow = first.aside?.follow; follow && follow.wait > 0; follow = answer.aside?.follow) {
      const moved = await waiting.untilPast(facts, follow.head, { ms: until - performance.now(), signal })
      if (followed.reply.raw.closed) return DISCONNECTED
      // Time is up, or the service stops. What was written since the last poll still belongs to the answer.
      if (!moved && !(await waiting.isPast(facts, follow.head))) return answer
      answer = await again(followed.following, follow.next_cursor)
      if (!moved) return answer
    }
    return answer
  })
}

/** Holds an answer for as long as its caller wants, until it would be another one. */
export async function holdUnchanged(first: Answer, followed: Followed, parts: HoldParts): Promise<Answer> {
  const seconds = first.aside?.unchanged?.wait ?? 0
  if (seconds === 0 || parts.waiting.stopping.aborted) return first
  const { call, execute, admitAgain } = followed.following
  const until = performance.now() + seconds * 1000
  return whileHeld(followed, parts, async (signal) => {
    for (;;) {
      const ms = Math.min(POLL_MS, until - performance.now())
      if (ms > 0) await setTimeout(ms, undefined, { signal }).catch(() => {})
      if (followed.reply.raw.closed) return DISCONNECTED
      const answer = await execute({ ...call, facts: await admitAgain() })
      if (answer.body !== first.body || signal.aborted || performance.now() >= until) return answer
    }
  })
}

type Hold = (signal: AbortSignal) => Promise<Answer>

/** The response does not count as in flight meanwhile. The signal tells that the client or the service goes away. */
async function whileHeld(followed: Followed, { waiting, shedder }: HoldParts, hold: Hold): Promise<Answer> {
  const { reply, following } = followed
  const leave = waiting.enter(following.call.facts)
  const countAgain = leaveInFlight(reply, shedder)
  const ending = new AbortController()
  const cut = () => ending.abort()
  reply.raw.once('close', cut)
  waiting.stopping.addEventListener('abort', cut)
  try {
    return await hold(ending.signal)
  } finally {
    reply.raw.off('close', cut)
    waiting.stopping.removeEventListener('abort', cut)
    countAgain()
    leave()
  }
}

/** Reads on from a cursor, with the rights that the caller has now. */
export async function again({ call, execute, admitAgain }: Following, cursor: string): Promise<Answer> {
  const facts = await admitAgain()
  return execute({ ...callFrom(call, cursor), facts })
}

/** The same call, from a cursor on. */
export function callFrom(call: V1Call, cursor: string): V1Call {
  return { ...call, request: { ...call.request, query: withCursor(call.request.query, cursor) } }
}

/** A query string that begins at a cursor, whatever it began at before. */
export function withCursor(query: string, cursor: string): string {
  const others = query.split('&').filter((part) => part !== '' && !begins(part))
  return [...others, `cursor=${encodeURIComponent(cursor)}`].join('&')
}

function begins(part: string): boolean {
  const name = part.split('=', 1)[0] ?? ''
  // Names may be encoded.
  const [plain] = new URLSearchParams(name).keys()
  return plain === 'cursor' || plain === 'since'
}

/** Ends a response whose caller has lost the right to it. A database that is away for a moment ends nothing. */
export async function endUnlessAdmitted({ admitAgain }: Pick<Following, 'admitAgain'>, end: () => void): Promise<void> {
  await admitAgain().catch((error) => void (error instanceof Refusal && end()))
}
