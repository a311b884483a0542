import type { Pool } from '../storage/engines/engine.ts'

/** A request that has been answered, as whoever watches the service sees it. Never more than names and numbers. */
export type Seen = {
  method: string
  /** The route, not the path: `/api/v1/companies/:id`. */
  route: string
  status: number
  seconds: number
  request_id: string
  workspace: string | undefined
  traceparent: string | undefined
}

/** What is watched of a running service beside its requests. */
export type Vitals = {
  /** How many calls wait for each lane, those at work included. */
  queues(): { lane: string; waiting: number }[]
  /** The connections to PostgreSQL; undefined where there are none. */
  pool(): Pool | undefined
  inFlight(): number
  /** How many requests were refused because too much was waiting, by reason. */
  shed: ReadonlyMap<string, number>
}

export type Metrics = {
  saw(seen: Seen): void
  /** Everything in the text format of Prometheus. */
  exposition(): Promise<{ type: string; text: string }>
}

export type Tracing = { saw(seen: Seen): void; close(): Promise<void> }
