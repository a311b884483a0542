import type { Lanes } from '../calls/lanes.ts'
import type { Config } from '../config.ts'
import type { Engine } from '../storage/engines/engine.ts'
import { type LoadShedder, newLoadShedder } from './load-shedding.ts'
import type { Metrics, Observer } from './observed.ts'

type Observability = {
  shedder: LoadShedder
  observers: readonly Observer[]
  metrics: { from: Metrics; token: string } | undefined
  close(): Promise<void>
}

/** Load shedding, metrics and traces. The libraries for the last two are loaded only where they are switched on. */
export async function openObservability(config: Config, engine: Engine, lanes: Lanes): Promise<Observability> {
  const { REQUESTS_AT_ONCE: inFlightMax, DATABASE_CONNECTIONS: connections, METRICS_TOKEN: token } = config
  const shedder = newLoadShedder({ inFlightMax, connections, pool: engine.pool, shed: lanes.shed })
  const gauges = { queues: lanes.queues, pool: engine.pool, inFlight: shedder.inFlight, shed: lanes.shed }
  const metrics = token === undefined ? undefined : { from: (await import('./metrics.ts')).openMetrics(gauges), token }
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: name } = config
  const tracing = endpoint === undefined ? undefined : (await import('./tracing.ts')).openTracing(endpoint, name)
  return {
    shedder,
    observers: [metrics?.from, tracing].filter((one) => one !== undefined),
    metrics,
    close: async () => tracing?.close(),
  }
}
