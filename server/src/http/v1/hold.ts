import type { FastifyReply } from 'fastify'
import type { Answer } from '../../calls/answer.ts'
import type { Call } from '../../calls/call.ts'
import { DISCONNECTED } from '../../calls/lanes.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import type { AppParts } from '../parts.ts'
import { leaveInFlight } from '../wire/in-flight.ts'
import { withCursor } from './with-cursor.ts'

export type V1Call = Extract<Call, { surface: 'v1' }>

/** How a call of a reader is made, and made again later. */
export type Following = {
  call: V1Call
  execute(call: V1Call): Promise<Answer>
  /** Checks again that the caller may read, and returns the current facts. */
  admitAgain(): Promise<ScopeFacts>
}

/** Holds an answer that would be empty, for as long as its caller wants, until there is something to answer with. */
export async function holdEmpty(
  first: Answer,
  { reply, following }: { reply: FastifyReply; following: Following },
  { waiting, shedder }: Pick<AppParts, 'waiting' | 'shedder'>,
): Promise<Answer> {
  const seconds = first.aside?.follow?.wait ?? 0
  if (seconds === 0 || waiting.stopping.aborted) return first
  const { call } = following
  const until = performance.now() + seconds * 1000
  const leave = waiting.enter(call.facts)
  const countAgain = leaveInFlight(reply, shedder)
  const gone = new AbortController()
  const onClose = () => gone.abort()
  reply.raw.once('close', onClose)
  try {
    let answer = first
    for (let follow = first.aside?.follow; follow && follow.wait > 0; follow = answer.aside?.follow) {
      const ms = until - performance.now()
      const moved = await waiting.untilPast(call.facts, follow.head, { ms, signal: gone.signal })
      if (gone.signal.aborted) return DISCONNECTED
      // Time is up, or the service stops. What was written since the last poll still belongs to the answer.
      if (!moved && !(await waiting.isPast(call.facts, follow.head))) return answer
      answer = await again(following, follow.next_cursor)
      if (!moved) return answer
    }
    return answer
  } finally {
    reply.raw.off('close', onClose)
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
