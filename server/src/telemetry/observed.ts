import type { Lanes } from '../calls/lanes.ts'
import type { Engine } from '../storage/engines/engine.ts'

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
export type Gauges = Pick<Lanes, 'queues' | 'shed'> & Pick<Engine, 'pool'> & { inFlight(): number }

export type Metrics = Observer & {
  /** Everything in the text format of Prometheus. */
  exposition(): Promise<{ type: string; text: string }>
}

export type Tracing = Observer & { close(): Promise<void> }
