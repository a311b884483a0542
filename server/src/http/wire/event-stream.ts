import type { FastifyReply } from 'fastify'
import type { LoadShedder } from '../../runtime/load-shedding.ts'
import { leaveInFlight } from './in-flight.ts'

/** An open response of server-sent events. */
type EventStream = {
  /** Sends whole events. A client that has stopped reading is disconnected; it reconnects when it reads again. */
  send(text: string): void
  /** Waits until the client has read what was sent, for so long at most. */
  drained(ms: number): Promise<void>
  end(): void
  /** Aborted as soon as the connection is closed, by either side. */
  closed: AbortSignal
  /** Calls this then, or at once if the connection is closed already. */
  whenClosed(work: () => void): void
}

type StreamSettings = { shedder: LoadShedder; unread_max: number }

/** Begins a response of server-sent events. It does not count as a request in flight. */
export function openEventStream(reply: FastifyReply, { shedder, unread_max }: StreamSettings): EventStream {
  reply.hijack()
  const { raw } = reply
  const closed = new AbortController()
  if (raw.closed) closed.abort()
  raw.once('close', () => closed.abort())
  leaveInFlight(reply, shedder)
  raw.writeHead(200, {
    ...reply.getHeaders(),
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    // Proxies that gather answers before they pass them on would delay the events.
    'X-Accel-Buffering': 'no',
  } as Record<string, string>)
  raw.write('retry: 3000\n\n')
  return {
    send(text) {
      if (raw.writableLength <= unread_max) {
        raw.write(text)
        return
      }
      raw.destroy()
      closed.abort()
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
    closed: closed.signal,
    whenClosed(work) {
      if (closed.signal.aborted) work()
      else closed.signal.addEventListener('abort', work)
    },
  }
}
