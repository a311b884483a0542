import type { Runtime } from '../scope/scope.ts'
import {
  freeLeases,
  type LeasedRow,
  type LeasedTable,
  releaseLease,
  renewLeases,
  takeLeases,
} from '../storage/tables/leases.ts'

/** How often a node looks for work that other nodes have left behind. */
const LOOK_MS = 1000

export type Leases = {
  /** Called when there may be work. */
  soon(): void
  /** Stops all work, and leaves it to other nodes. */
  stop(): Promise<void>
}

/** Lets a loop sleep until something happens. */
export type Alarm = {
  wake(): void
  /** True if the time has passed, false if something woke the loop. */
  sleep(ms: number): Promise<boolean>
}

/**
 * Does the work of a table's rows. One node does the work of a row at a time: the node with its lease, which another
 * node takes over when it ends. Time goes by the clock of the database.
 */
export function openLeases<Row extends LeasedRow>({
  runtime: { engine, now },
  table,
  node,
  lease_ms,
  most = Number.POSITIVE_INFINITY,
  run,
  look,
  onFailure,
}: {
  runtime: Runtime
  table: LeasedTable
  node: string
  lease_ms: number
  /** How many rows this process works on at a time, if there is a limit. */
  most?: number
  /** Resolves when the work has ended. It ends soon after `stopped` is aborted, as this node may not have the lease. */
  run(row: Row, stopped: AbortSignal): Promise<void>
  /** Called with each look. */
  look?: () => Promise<void>
  onFailure(error: unknown): void
}): Leases & { isHeld(): boolean } {
  const running = new Map<string, { lost: AbortController; ended: Promise<void> }>()
  const stopping = new AbortController()
  const alarm = newAlarm()
  // A monotonic clock: a node whose clock is set back must keep renewing its leases and know when they end.
  let renewedAt = 0
  let heldUntil = 0

  async function renew(): Promise<void> {
    const at = performance.now()
    if (running.size > 0 && at - renewedAt < lease_ms / 3) return
    const kept = running.size === 0 ? [] : await renewLeases(engine, table, { by: node, ms: lease_ms })
    renewedAt = at
    heldUntil = at + lease_ms
    for (const [id, { lost }] of running) if (!kept.includes(id)) lost.abort()
  }

  async function take(): Promise<void> {
    while (running.size < most && !stopping.signal.aborted) {
      const rows = await takeLeases<Row>(engine, table, { by: node, ms: lease_ms, at: now() })
      for (const row of rows) start(row)
      if (rows.length === 0) return
    }
  }

  function start(row: Row): void {
    // A lease that had ended, and that this node took again. The work goes on.
    if (running.has(row.id)) return
    const lost = new AbortController()
    const ended = run(row, AbortSignal.any([stopping.signal, lost.signal]))
      .catch(onFailure)
      .then(() => releaseLease(engine, table, { row, by: node }))
      .catch(onFailure)
      .finally(() => {
        running.delete(row.id)
        alarm.wake()
      })
    running.set(row.id, { lost, ended })
  }

  async function loop(): Promise<void> {
    // With a single node, what is leased at its start belongs to a process that has ended.
    let takesOver = !engine.concurrentWrites
    while (!stopping.signal.aborted) {
      try {
        if (takesOver) await freeLeases(engine, table)
        takesOver = false
        await renew()
        await take()
        await look?.()
      } catch (error) {
        onFailure(error)
      }
      await alarm.sleep(LOOK_MS)
    }
  }

  const looping = loop()
  return {
    soon: alarm.wake,
    isHeld: () => performance.now() < heldUntil,
    async stop() {
      stopping.abort()
      alarm.wake()
      // Also waits for the search for work, because the database is closed after this.
      await looping
      await Promise.all([...running.values()].map(({ ended }) => ended))
    },
  }
}

export function newAlarm(): Alarm {
  let isWoken = false
  let wakeUp: (() => void) | undefined
  return {
    wake() {
      isWoken = true
      wakeUp?.()
    },
    async sleep(ms) {
      if (!isWoken) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wakeUp = resolve
        const timer = setTimeout(resolve, ms).unref()
        await promise
        clearTimeout(timer)
      }
      const hasPassed = !isWoken
      isWoken = false
      return hasPassed
    },
  }
}
