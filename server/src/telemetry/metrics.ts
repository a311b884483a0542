import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Gauges, Metrics } from './observed.ts'

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Counts and durations for Prometheus. Loaded only if METRICS_TOKEN is set. */
export function openMetrics(gauges: Gauges): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const times = new Histogram({
    name: 'kith_request_seconds',
    help: 'Duration of requests by route.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  })
  const refused = new Counter({
    name: 'kith_rate_limit_refusals_total',
    help: 'Requests refused because a rate limit was reached (429).',
    registers: [registry],
  })
  registerGauges(registry, gauges)
  return {
    record({ method, route, status, seconds }) {
      times.observe({ method, route, status }, seconds)
      if (status === 429) refused.inc()
    },
    exposition: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  }
}

/** Collected only when the metrics are scraped. */
function registerGauges(registry: Registry, gauges: Gauges): void {
  const registers = [registry]
  new Gauge({
    name: 'kith_requests_in_flight',
    help: 'Requests in flight.',
    registers,
    collect() {
      this.set(gauges.inFlight())
    },
  })
  new Gauge({
    name: 'kith_queue_waiting',
    help: 'Calls that wait for a lane, including the running one.',
    labelNames: ['lane'],
    registers,
    collect() {
      for (const { lane, waiting } of gauges.queues()) this.set({ lane }, waiting)
    },
  })
  if (gauges.pool()) {
    new Gauge({
      name: 'kith_pool_connections',
      help: 'Connections to PostgreSQL by state, and requests that wait for one.',
      labelNames: ['state'],
      registers,
      collect() {
        const { total = 0, idle = 0, waiting = 0 } = gauges.pool() ?? {}
        this.set({ state: 'busy' }, total - idle)
        this.set({ state: 'idle' }, idle)
        this.set({ state: 'waiting' }, waiting)
      },
    })
  }
  new Counter({
    name: 'kith_shed_total',
    help: 'Requests refused with 503 because too many were waiting.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset()
      for (const [reason, count] of gauges.shed) this.inc({ reason }, count)
    },
  })
}
