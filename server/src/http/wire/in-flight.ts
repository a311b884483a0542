import type { FastifyReply } from 'fastify'
import type { LoadShedder } from '../../runtime/observability.ts'

/** A response that only waits does not count as a request in flight. Returns a function that counts it again. */
export function leaveInFlight({ raw }: FastifyReply, { begin, end }: LoadShedder): () => void {
  if (raw.closed) return () => {}
  raw.off('close', end)
  end()
  return () => {
    if (raw.closed) return
    begin()
    raw.once('close', end)
  }
}

/** A response that is written bit by bit. */
export type OpenResponse = {
  /** Aborted as soon as the connection is closed, by either side. */
  closed: AbortSignal
  /** Calls this then, or at once if the connection is closed already. */
  whenClosed(work: () => void): void
}

/** Takes a response over from Fastify. It does not count as a request in flight. `close` tells that it is closed. */
export function takeOver(reply: FastifyReply, shedder: LoadShedder): OpenResponse & { close(): void } {
  reply.hijack()
  const closing = new AbortController()
  const { signal: closed } = closing
  const close = () => closing.abort()
  if (reply.raw.closed) close()
  reply.raw.once('close', close)
  leaveInFlight(reply, shedder)
  return { closed, close, whenClosed: (work) => (closed.aborted ? work() : closed.addEventListener('abort', work)) }
}
