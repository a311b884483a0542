import type { FastifyReply } from 'fastify'
import type { LoadShedder } from '../../telemetry/observability.ts'

/** An open response of server-sent events. */
type EventStream = OpenResponse & {
  /** Sends whole events. A client that has stopped reading is disconnected; it reconnects when it reads again. */
  send(events: string | Uint8Array): void
  /** Waits until the client has read everything, or until the time is up. */
  drained(ms: number): Promise<void>
  end(): void
}

/** Begins a response of server-sent events. */
export function openEventStream(
  reply: FastifyReply,
  { shedder, unread_max }: { shedder: LoadShedder; unread_max: number },
): EventStream {
  const { raw } = reply
  const { closed, whenClosed, close } = takeOver(reply, shedder)
  raw.writeHead(200, {
    ...reply.getHeaders(),
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    // Proxies that buffer answers would delay the events.
    'X-Accel-Buffering': 'no',
  } as Record<string, string>)
  raw.write('retry: 3000\n\n')
  return {
    send(events) {
      if (raw.writableLength <= unread_max) {
        raw.write(events)
        return
      }
      raw.destroy()
      close()
    },
    async drained(ms) {
      if (!raw.writableNeedDrain || raw.closed) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, ms)
      raw.once('drain', resolve).once('close', resolve)
      await promise
      clearTimeout(timer)
      raw.off('drain', resolve).off('close', resolve)
    },
    end: () => raw.end(),
    closed,
    whenClosed,
  }
}

/**
 * Stops counting a response as in flight while it only waits, or is only read. Returns a function that counts it again.
 */
export function leaveInFlight({ raw }: FastifyReply, { begin, end }: LoadShedder): () => void {
  if (raw.listenerCount('close', end) === 0) return () => {}
  raw.off('close', end)
  end()
  return () => {
    if (raw.closed) return
    begin()
    raw.once('close', end)
  }
}

/** A response that is written in pieces. */
export type OpenResponse = {
  /** Aborted as soon as the connection is closed, by either side. */
  closed: AbortSignal
  /** Calls `work` when the connection is closed, or at once if it already is. */
  whenClosed(work: () => void): void
}

/** Takes a response over from Fastify. It does not count as in flight. `close` marks it as closed. */
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
