import type { Answer } from '../calls/answer.ts'
import { type Lanes, refuseBusy } from '../calls/lanes.ts'
import type { Config } from '../config.ts'
import type { Engine, Pool } from '../storage/engines/engine.ts'
import { OUTDATED, StorageTrouble, type TroubleKind } from '../storage/engines/storage-trouble.ts'
import type { Metrics, Observer } from './observed.ts'

/** Load shedding, metrics and traces. The libraries of the last two are loaded only if they are enabled. */
export async function openObservability(
  config: Config,
  engine: Engine,
  lanes: Lanes,
): Promise<{
  shedder: LoadShedder
  observers: readonly Observer[]
  metrics: { from: Metrics; token: string } | undefined
  close(): Promise<void>
}> {
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

/** How many requests may wait for each connection to a database server. */
const WAITERS_PER_CONNECTION = 50

/** Counts the requests in flight and refuses new ones at capacity. */
export type LoadShedder = {
  /** Throws at capacity. */
  refuseWhenFull(): void
  /** Refuses a request and counts it under a reason. */
  refuse(reason: string): never
  begin(): void
  end(): void
  inFlight(): number
}

/**
 * An overloaded service that accepts everything answers nothing in time. One that refuses the excess at once keeps
 * its throughput and recovers as soon as the load falls.
 */
export function newLoadShedder({
  inFlightMax,
  connections,
  pool,
  shed,
}: {
  inFlightMax: number
  connections: number
  pool(): Pool | undefined
  /** Counts the refused requests, by reason. */
  shed: Map<string, number>
}): LoadShedder {
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
    refuse: (reason) => refuseBusy(shed, reason),
    begin: () => void inFlight++,
    end() {
      inFlight--
      if (answeredInTurn++ === 0) setImmediate(nextTurn)
    },
    inFlight: () => inFlight,
  }
}

/** How long the service is not ready after a write found the disk full. */
const FULL_MS = 10_000

/** Remembers that the disk was full recently, that the database is damaged, or that a newer version has changed it. */
export type StorageWatch = {
  /** Throws if a newer version has changed the database. */
  refuseOutdated(): void
  saw(answer: Answer): Answer
  /** Notes an error outside of a call. */
  met(error: unknown): void
  /** Why the storage is not ready. */
  why(error?: unknown): string | undefined
}

export function watchStorage(now: () => number = () => performance.now()): StorageWatch {
  let full: { since: number; message: string } | undefined
  let damaged: string | undefined
  let outdated = false

  function note(kind: TroubleKind, message: string): void {
    if (kind === 'full') full = { since: now(), message }
    if (kind === 'damaged') damaged = message
    if (kind === 'outdated') outdated = true
  }

  return {
    refuseOutdated() {
      if (outdated) throw new StorageTrouble('outdated', OUTDATED)
    },
    saw(answer) {
      if (answer.trouble) note(answer.trouble, messageIn(answer))
      return answer
    },
    met(error) {
      if (error instanceof StorageTrouble) note(error.kind, error.message)
    },
    why(error) {
      if (error instanceof StorageTrouble) return error.message
      if (outdated) return OUTDATED
      return damaged ?? (full && now() - full.since < FULL_MS ? full.message : undefined)
    },
  }
}

function messageIn({ body }: Answer): string {
  // The body of an error has a message.
  return (JSON.parse(body ?? '{}') as { message: string }).message
}
