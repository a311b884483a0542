import type { Lanes } from '../calls/lanes.ts'
import type { Config } from '../config.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { type Gate, openGate } from './load-shedding.ts'
import type { Metrics, Seen } from './watch.ts'

/** The gate at the entrance, and whoever watches what goes through it. */
export type Watch = {
  gate: Gate
  watchers: readonly { saw(seen: Seen): void }[]
  metrics: { from: Metrics; token: string } | undefined
  close(): Promise<void>
}

/** Metrics and traces are loaded only where they are wanted: nobody else pays for them. */
export async function openWatch(config: Config, engine: Engine, lanes: Lanes): Promise<Watch> {
  const { REQUESTS_AT_ONCE: atOnce, DATABASE_CONNECTIONS: connections, METRICS_TOKEN: token } = config
  const gate = openGate({ atOnce, connections, pool: engine.pool, shed: lanes.shed })
  const vitals = { queues: lanes.queues, pool: engine.pool, inFlight: gate.inFlight, shed: lanes.shed }
  const metrics = token === undefined ? undefined : { from: (await import('./metrics.ts')).openMetrics(vitals), token }
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: name } = config
  const tracing = endpoint === undefined ? undefined : (await import('./tracing.ts')).openTracing(endpoint, name)
  return {
    gate,
    watchers: [metrics?.from, tracing].filter((one) => one !== undefined),
    metrics,
    close: async () => tracing?.close(),
  }
}
