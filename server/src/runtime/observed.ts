import type { Pool } from '../storage/engines/engine.ts'

/** An answered request, for metrics and traces. Contains names and numbers only. */
export type ObservedRequest = {
  method: string
  /** The route, not the path: `/api/v1/companies/:id`. */
  route: string
  status: number
  seconds: number
  request_id: string
  workspace: string | undefined
  traceparent: string | undefined
}

export type Observer = { record(request: ObservedRequest): void }

/** The state of a running service, read when metrics are collected. */
export type Gauges = {
  /** How many calls each lane has, waiting or running. */
  queues(): { lane: string; waiting: number }[]
  /** The connections to a database server; undefined where there are none. */
  pool(): Pool | undefined
  inFlight(): number
  /** How many requests were shed, by reason. */
  shed: ReadonlyMap<string, number>
}

export type Metrics = Observer & {
  /** Everything in the text format of Prometheus. */
  exposition(): Promise<{ type: string; text: string }>
}

export type Tracing = Observer & { close(): Promise<void> }
