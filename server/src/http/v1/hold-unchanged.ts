import { setTimeout } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Answer } from '../../calls/answer.ts'
import { DISCONNECTED } from '../../calls/lanes.ts'
import type { AppParts } from '../parts.ts'
import { leaveInFlight } from '../wire/in-flight.ts'
import type { Following } from './hold.ts'

const POLL_MS = 500

/** Holds an answer for as long as its caller wants, until it would be another one. */
export async function holdUnchanged(
  first: Answer,
  { reply, following }: { reply: FastifyReply; following: Following },
  { waiting, shedder }: Pick<AppParts, 'waiting' | 'shedder'>,
): Promise<Answer> {
  const seconds = first.aside?.unchanged?.wait ?? 0
  if (seconds === 0 || waiting.stopping.aborted) return first
  const { call, execute, admitAgain } = following
  const until = performance.now() + seconds * 1000
  const leave = waiting.enter(call.facts)
  const countAgain = leaveInFlight(reply, shedder)
  const gone = new AbortController()
  const cut = () => gone.abort()
  reply.raw.once('close', cut)
  waiting.stopping.addEventListener('abort', cut)
  try {
    for (;;) {
      const ms = Math.min(POLL_MS, until - performance.now())
      if (ms > 0) await setTimeout(ms, undefined, { signal: gone.signal }).catch(() => {})
      if (reply.raw.closed) return DISCONNECTED
      const answer = await execute({ ...call, facts: await admitAgain() })
      if (answer.body !== first.body || gone.signal.aborted || performance.now() >= until) return answer
    }
  } finally {
    reply.raw.off('close', cut)
    waiting.stopping.removeEventListener('abort', cut)
    countAgain()
    leave()
  }
}
