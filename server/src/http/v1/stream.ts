import { Refusal } from '@kith/contract/refusal'
import type { FastifyReply } from 'fastify'
import { type Answer, nextOf } from '../../calls/answer.ts'
import type { AppParts } from '../parts.ts'
import { openEventStream } from '../wire/event-stream.ts'
import { sendAnswer } from '../wire/send-answer.ts'
import { again, callFrom, endUnlessAdmitted, type FeedReader, type OpenAnswer } from './hold.ts'

const PING_MS = 15_000
/** The streams of a token that becomes invalid end within 30 seconds. */
const CHECK_MS = 20_000
const STREAM_MS = 30 * 60_000
const UNREAD_MAX_BYTES = 1024 * 1024
/** How long a reader may take to read sent events before more are sent. */
const DRAIN_MS = 2000

type StreamParts = Pick<AppParts, 'waiting' | 'shedder' | 'logger' | 'isBusy'>

/** Answers with server-sent events: each answer of the call is their text, and the next call starts at its cursor. */
export async function streamChanges({ reply, following }: OpenAnswer, parts: StreamParts): Promise<FastifyReply> {
  const leave = await parts.waiting.enter(following.call.facts)
  const last = reply.request.headers['last-event-id']
  const wire = { ...parts, mediaType: 'text/event-stream; charset=utf-8' }
  const call = typeof last === 'string' && last !== '' ? callFrom(following.call, last) : following.call
  const first = await following.execute(call).catch((error: unknown) => {
    leave()
    throw error
  })
  const { stopping } = parts.waiting
  if (first.status !== 200 || reply.request.method === 'HEAD' || stopping.aborted) {
    leave()
    return sendAnswer(reply, first, wire)
  }
  const stream = openEventStream(reply, { shedder: parts.shedder, unread_max: UNREAD_MAX_BYTES })
  const pinging = setInterval(() => stream.send(': ping\n\n'), PING_MS).unref()
  const checking = setInterval(() => void endUnlessAdmitted(following, stream.end), CHECK_MS).unref()
  stream.whenClosed(() => {
    clearInterval(pinging)
    clearInterval(checking)
    leave()
  })
  void run(first, { following, stream }, parts)
    // A refusal ends the stream. The client reconnects and gets the reason.
    .catch((error) => error instanceof Refusal || parts.logger.warn({ error: String(error) }, 'A stream has failed.'))
    .finally(stream.end)
  return reply
}

async function run(
  first: Answer,
  { following, stream }: { following: FeedReader; stream: ReturnType<typeof openEventStream> },
  { waiting }: StreamParts,
): Promise<void> {
  const until = performance.now() + STREAM_MS
  let answer = first
  let isSnapshot = false
  // Any answer that is not a part of the feed ends the stream. The client reconnects and gets it as the response.
  for (let feed = nextOf(first, 'feed'); feed && answer.status === 200; feed = nextOf(answer, 'feed')) {
    if (isSnapshot && feed.phase === 'live') stream.send('event: live\ndata: {}\n\n')
    isSnapshot = feed.phase === 'snapshot'
    const events = answer.bytes ?? answer.body ?? ''
    if (events.length > 0) stream.send(events)
    await stream.drained(DRAIN_MS)
    const ms = until - performance.now()
    const { facts } = following.call
    if (!feed.has_more && !(await waiting.untilPast(facts, feed.head, { ms, signal: stream.closed }))) return
    if (stream.closed.aborted || waiting.stopping.aborted || ms <= 0) return
    answer = await again(following, feed.next_cursor)
  }
}
