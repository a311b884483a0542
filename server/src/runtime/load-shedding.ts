import { Refusal } from '@kith/contract/refusal'
import type { Pool } from '../storage/engines/engine.ts'

/** So many requests may wait for each connection to PostgreSQL. */
const WAITERS_PER_CONNECTION = 50

/** Keeps count of the requests that are under way, and turns away those that would only wait. */
export type Gate = {
  /** Throws when there is no room. */
  refuseWhenFull(): void
  entered(): void
  left(): void
  inFlight(): number
}

export type GateSettings = {
  atOnce: number
  connections: number
  pool(): Pool | undefined
  /** Where those that were turned away are counted, by reason. */
  shed: Map<string, number>
}

/**
 * A service that takes in more than it can do answers nobody in time. One that turns the rest away at once goes on answering as many as
 * it can, and is itself again as soon as there are fewer.
 */
export function openGate({ atOnce, connections, pool, shed }: GateSettings): Gate {
  let inFlight = 0
  // What is answered in one turn of the event loop had come in before it, and stood in line all that time.
  let answeredInTurn = 0
  const nextTurn = () => {
    answeredInTurn = 0
  }
  return {
    refuseWhenFull() {
      if (inFlight + answeredInTurn > atOnce) refuseBusy(shed, 'requests')
      if ((pool()?.waiting ?? 0) > connections * WAITERS_PER_CONNECTION) refuseBusy(shed, 'pool')
    },
    entered: () => void inFlight++,
    left() {
      inFlight--
      if (answeredInTurn++ === 0) setImmediate(nextTurn)
    },
    inFlight: () => inFlight,
  }
}

/** Nothing was done for the request, so that it may be repeated. */
export function refuseBusy(shed: Map<string, number>, reason: string): never {
  shed.set(reason, (shed.get(reason) ?? 0) + 1)
  throw new Refusal({
    kind: 'busy',
    message: 'The service has too much to do at the moment. Retry shortly.',
    retry_after: 1,
  })
}
