import { refuseBusy } from '../calls/lanes.ts'
import type { Pool } from '../storage/engines/engine.ts'

/** How many requests may wait for each connection to a database server. */
const WAITERS_PER_CONNECTION = 50

/** Counts the requests in flight and refuses new ones at capacity. */
export type LoadShedder = {
  /** Throws at capacity. */
  refuseWhenFull(): void
  begin(): void
  end(): void
  inFlight(): number
}

type LoadSheddingSettings = {
  inFlightMax: number
  connections: number
  pool(): Pool | undefined
  /** Counts the refused requests, by reason. */
  shed: Map<string, number>
}

/**
 * An overloaded service that accepts everything answers nothing in time. One that refuses the excess at once keeps
 * its throughput and recovers as soon as the load falls.
 */
export function newLoadShedder({ inFlightMax, connections, pool, shed }: LoadSheddingSettings): LoadShedder {
  let inFlight = 0
  // Requests answered within one turn of the event loop were waiting at the same time, so they count together.
  let answeredInTurn = 0
  const nextTurn = () => {
    answeredInTurn = 0
  }
  return {
    refuseWhenFull() {
      if (inFlight + answeredInTurn > inFlightMax) refuseBusy(shed, 'requests')
      if ((pool()?.waiting ?? 0) > connections * WAITERS_PER_CONNECTION) refuseBusy(shed, 'pool')
    },
    begin: () => void inFlight++,
    end() {
      inFlight--
      if (answeredInTurn++ === 0) setImmediate(nextTurn)
    },
    inFlight: () => inFlight,
  }
}
