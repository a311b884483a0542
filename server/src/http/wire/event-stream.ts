import type { FastifyReply } from 'fastify'
import type { LoadShedder } from '../../runtime/observability.ts'
import { type OpenResponse, takeOver } from './in-flight.ts'

/** An open response of server-sent events. */
type EventStream = OpenResponse & {
  /** Sends whole events. A client that has stopped reading is disconnected; it reconnects when it reads again. */
  send(text: string): void
  /** Waits until the client has read what was sent, for so long at most. */
  drained(ms: number): Promise<void>
  end(): void
}

type StreamSettings = { shedder: LoadShedder; unread_max: number }

/** Begins a response of server-sent events. */
export function openEventStream(reply: FastifyReply, { shedder, unread_max }: StreamSettings): EventStream {
  const { raw } = reply
  const { closed, whenClosed, close } = takeOver(reply, shedder)
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
