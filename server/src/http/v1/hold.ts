import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '@kith/contract/refusal'
import type { FastifyReply } from 'fastify'
import { type Answer, nextOf } from '../../calls/answer.ts'
import type { Call } from '../../calls/call.ts'
import { DISCONNECTED } from '../../calls/lanes.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { AppParts } from '../parts.ts'
import { leaveInFlight } from '../wire/event-stream.ts'

const POLL_MS = 500

export type V1Call = Extract<Call, { surface: 'v1' }>

/** A call that can be repeated later for the same reader. */
export type FeedReader = {
  call: V1Call
  execute(call: V1Call): Promise<Answer>
  /** Checks again that the caller may read, and returns the current facts. */
  admitAgain(): Promise<ScopeFacts>
}

/** A response that is open for longer than its first call. */
export type OpenAnswer = { reply: FastifyReply; following: FeedReader }

type HoldParts = Pick<AppParts, 'waiting' | 'shedder'>

/** Holds an empty answer for as long as the caller wants, until there is a change. */
export async function holdEmpty(first: Answer, followed: OpenAnswer, parts: HoldParts): Promise<Answer> {
  const { waiting } = parts
  const seconds = nextOf(first, 'feed')?.wait ?? 0
  if (seconds === 0 || waiting.stopping.aborted) return first
  const { facts } = followed.following.call
  const until = performance.now() + seconds * 1000
  return whileHeld(followed, parts, async (signal) => {
    let answer = first
    for (let feed = nextOf(first, 'feed'); feed && feed.wait > 0; feed = nextOf(answer, 'feed')) {
      const moved = await waiting.untilPast(facts, feed.head, { ms: until - performance.now(), signal })
      if (followed.reply.raw.closed) return DISCONNECTED
      // The time is up, or the service stops. Changes since the last poll still belong to the answer.
      if (!moved && !(await waiting.isPast(facts, feed.head))) return answer
      answer = await again(followed.following, feed.next_cursor)
      if (!moved) return answer
    }
    return answer
  })
}

/** Holds an answer for as long as the caller wants, until it changes. */
export async function holdUnchanged(first: Answer, followed: OpenAnswer, parts: HoldParts): Promise<Answer> {
  const seconds = nextOf(first, 'unchanged')?.wait ?? 0
  if (seconds === 0 || parts.waiting.stopping.aborted) return first
  const { call, execute, admitAgain } = followed.following
  const until = performance.now() + seconds * 1000
  return whileHeld(followed, parts, async (signal) => {
    for (;;) {
      const ms = Math.min(POLL_MS, until - performance.now())
      if (ms > 0) await pause(ms, undefined, { signal }).catch(() => {})
      if (followed.reply.raw.closed) return DISCONNECTED
      const answer = await execute({ ...call, facts: await admitAgain() })
      if (answer.body !== first.body || signal.aborted || performance.now() >= until) return answer
    }
  })
}

/**
 * A held response does not count as in flight. The signal is aborted when the client disconnects or the service stops.
 */
async function whileHeld(
  followed: OpenAnswer,
  { waiting, shedder }: HoldParts,
  hold: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const { reply, following } = followed
  const leave = await waiting.enter(following.call.facts)
  const countAgain = leaveInFlight(reply, shedder)
  const ending = new AbortController()
  const cut = () => ending.abort()
  reply.raw.once('close', cut)
  waiting.stopping.addEventListener('abort', cut)
  // Both may have happened while the place was taken.
  if (reply.raw.closed || waiting.stopping.aborted) cut()
  try {
    return await hold(ending.signal)
  } finally {
    reply.raw.off('close', cut)
    waiting.stopping.removeEventListener('abort', cut)
    countAgain()
    leave()
  }
}

/** Continues from a cursor, with the current rights of the caller. */
export async function again({ call, execute, admitAgain }: FeedReader, cursor: string): Promise<Answer> {
  const facts = await admitAgain()
  return execute({ ...callFrom(call, cursor), facts })
}

/** The same call, starting at a cursor. */
export function callFrom(call: V1Call, cursor: string): V1Call {
  return { ...call, request: { ...call.request, query: withCursor(call.request.query, cursor) } }
}

/** A query string that starts at a cursor, instead of its earlier start. */
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

/** Ends a response whose caller has lost the right to it. An unavailable database does not end it. */
export async function endUnlessAdmitted(
  { admitAgain }: Pick<FeedReader, 'admitAgain'>,
  end: () => void,
): Promise<void> {
  await admitAgain().catch((error) => void (error instanceof Refusal && end()))
}
