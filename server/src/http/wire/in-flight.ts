import type { FastifyReply } from 'fastify'
import type { LoadShedder } from '../../runtime/load-shedding.ts'

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
