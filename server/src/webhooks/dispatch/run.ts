import type { ScopeFacts } from '../../scope/scope.ts'
import type { BlockedRow, WebhookRow } from '../../storage/tables/webhooks.ts'
import { wantedBy } from '../webhook.ts'
import { type Backlog, type BlockedRecord, keyOf, newBacklog } from './backlog.ts'
import type { Progress } from './flush.ts'
import type { Flushable } from './flusher.ts'
import { afterTime, disabled, healthOf } from './health.ts'
import { isoNow, limitOf, newRunState, type RunParts, readRights, resetFeed, resetOf } from './run-state.ts'
import { replaySome, sendSome } from './send-some.ts'
import { factsOf } from './steps.ts'

/** The delivery to one endpoint, by the node with its lease. */
export type Run = {
  webhook(): WebhookRow
  /** Called when a caller has changed the endpoint, or there are replays. */
  reload(): void
  /** Called once a second. */
  tick(): void
  /** Called when another node has the endpoint, or it was deleted. */
  lose(): void
  /** Starts no new requests, waits a little for running ones, and stores the progress. */
  stop(graceMs: number): Promise<void>
  ended: Promise<void>
  /** Called when the run has ended and no request is running. */
  idle: Promise<void>
}

/** More events are read when fewer than these are waiting. */
const QUEUE_MIN = 100
/** No new requests start while more than this is not stored. */
const UNWRITTEN_MAX_BYTES = 4 * 1024 * 1024
const RETRY_MS = 1000
const PAUSED_MS = 5000
/** How long to wait for running requests after an endpoint was disabled. */
const FINISH_MS = 5000
const SLEEP_MIN_MS = 20
const SLEEP_MAX_MS = 60_000
/** After this many deliveries, old entries of the log are deleted. */
const PRUNE_AFTER = 500

export function startRun(parts: RunParts, leased: WebhookRow): Run {
  const { now } = parts.runtime
  const ended = Promise.withResolvers<void>()
  const drained = Promise.withResolvers<void>()
  const idle = Promise.withResolvers<void>()
  /** The stored position, and the one that is being stored. */
  let stored = leased.sequence
  let taken = leased.sequence
  /** Whether the endpoint was moved to another position. Running requests end first. */
  let moved: { sequence: number; blocked: readonly BlockedRow[] } | undefined
  let head = 0
  let reloads = true
  /**
   * After a pause the rights are read, even if there is nothing to send, so that the endpoint shows that they have
   * ended.
   */
  let looks = false
  let isStopping = false
  let pumping = false
  let timer: NodeJS.Timeout | undefined

  const run = newRunState(parts, leased, {
    flushSoon: () => parts.flusher.soon(flushable),
    sent() {
      if (run.inFlight === 0 && isStopping) drained.resolve()
      if (run.inFlight === 0 && run.isOver) idle.resolve()
      pump()
    },
    async finish() {
      run.unwritten.mark()
      await parts.flusher.now(flushable)
      void stop(FINISH_MS)
    },
  })

  function isOpen(): boolean {
    return !isStopping && !run.isOver && (run.health.state === 'active' || run.health.state === 'failing')
  }

  function wakeAfter(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(
      () => {
        looks = true
        pump()
      },
      Math.min(ms, SLEEP_MAX_MS),
    ).unref()
  }

  function pump(): void {
    run.again = true
    if (pumping) return
    pumping = true
    void work().finally(() => {
      pumping = false
      if (isStopping && run.inFlight === 0) drained.resolve()
    })
  }

  async function work(): Promise<void> {
    try {
      while (run.again && isOpen()) {
        run.again = false
        await step()
      }
    } catch (error) {
      if (run.isOver) return
      parts.onFailure(error)
      wakeAfter(RETRY_MS)
    }
  }

  async function step(): Promise<void> {
    if (reloads && !(await reload())) return
    if (moved && run.inFlight > 0) return
    if (moved) {
      run.backlog = newBacklog(moved.sequence, moved.blocked)
      moved = undefined
    }
    const { backlog } = run
    if (!backlog || !(hasWork(backlog) || looks)) return sleep()
    looks = false
    if (!parts.isLeased() || run.unwritten.bytes() > UNWRITTEN_MAX_BYTES) return wakeAfter(RETRY_MS)
    const found = await readRights(run)
    if (found === 'paused') return wakeAfter(PAUSED_MS)
    if (found === 'changed') {
      reloads = true
      run.again = true
      return
    }
    if (typeof found === 'string') {
      run.health = disabled(run.health, found)
      return run.finish()
    }
    if (isReading(backlog)) await read(backlog, found)
    await sendSome(run, found)
    if (run.health.state === 'active') await replaySome(run, found)
    sleep()
  }

  /** Reads the stored endpoint. False if this node must stop. */
  async function reload(): Promise<boolean> {
    reloads = false
    const loaded = await parts.ask(factsOf(leased.workspace_id), 'load', { id: leased.id })
    if (!loaded || loaded.webhook.leased_by !== parts.node) {
      lose()
      return false
    }
    const { webhook: row, blocked } = loaded
    const isMoved = !run.backlog || ![stored, taken].includes(row.sequence) || row.epoch !== run.epoch
    const startsAgain = run.health.failures > 0 && row.failures === 0
    if (row.revision !== run.webhook.revision || isMoved) run.health = healthOf(row)
    run.webhook = row
    run.prepared = undefined
    run.replays.look()
    if (isMoved) {
      moved = { sequence: row.sequence, blocked }
      run.epoch = row.epoch
      stored = row.sequence
    } else if (startsAgain) for (const one of run.backlog?.blocked.values() ?? []) one.due_at = isoNow(run)
    if (!isOpen()) void stop(SLEEP_MAX_MS)
    return isOpen()
  }

  function isReading(backlog: Backlog): boolean {
    const wantsMore = backlog.queued() < QUEUE_MIN && backlog.readUpTo() < head
    return wantsMore && run.health.state === 'active' && !resetOf(backlog)
  }

  function hasWork(backlog: Backlog): boolean {
    const at = isoNow(run)
    // No event is left that could fail.
    if (backlog.blocked.size === 0 && run.health.state === 'failing') run.health = { ...run.health, state: 'active' }
    const isActive = run.health.state === 'active'
    const isFree = run.inFlight - run.replaying < limitOf(run)
    const hasEvents = backlog.due(at).length > 0 || (isActive && backlog.queued() > 0)
    if (isReading(backlog) || (isFree && hasEvents)) return true
    return isActive && run.replaying < run.webhook.max_in_flight && run.replays.hasWork(at)
  }

  /** The time until the next attempt is due. */
  function sleep(): void {
    const times = [run.backlog?.nextDue(), run.health.state === 'active' ? run.replays.nextDue() : undefined]
    const [next] = times.flatMap((time) => time ?? []).sort()
    wakeAfter(next === undefined ? SLEEP_MAX_MS : Math.max(Date.parse(next) - now().getTime(), SLEEP_MIN_MS))
  }

  async function read(backlog: Backlog, facts: ScopeFacts): Promise<void> {
    const after = backlog.readUpTo()
    const part = await parts.reader.read(facts, after)
    head = Math.max(head, part.head)
    if (part.epoch !== run.epoch) return resetFeed(run, 'restored', part)
    if (after < part.expired_until) return resetFeed(run, 'expired', part)
    backlog.add(wantedBy(run.webhook, part.entries), Math.max(part.until, after))
    if (backlog.position() !== stored) {
      run.unwritten.mark()
      run.flushSoon()
    }
    run.again ||= backlog.readUpTo() < head
  }

  const flushable: Flushable = {
    workspace_id: leased.workspace_id,
    progress(): Progress | undefined {
      const { unwritten, backlog, epoch, webhook } = run
      if (unwritten.isEmpty()) return undefined
      const { keys, log } = unwritten.take()
      run.replays.storing()
      const { notice, ...rest } = run.health
      const columns = { ...rest, ...(notice === null ? {} : { notice }) }
      const { id: webhook_id, revision } = webhook
      // Until an endpoint has moved, its old position must not be stored.
      if (!backlog || moved) return { webhook_id, revision, columns, blocked: { keys: [], rows: [] }, log }
      const rows = keys.flatMap((key) => backlog.blocked.get(keyOf(key)) ?? []).map(rowOf)
      const sequence = backlog.position()
      taken = sequence
      return { webhook_id, revision, columns: { ...columns, sequence, epoch }, blocked: { keys, rows }, log }
    },
    flushed(outcome) {
      if (outcome === 'failed') return run.unwritten.putBack()
      if (outcome === 'changed') run.unwritten.logged()
      else run.unwritten.stored()
      run.replays.stored()
      if (outcome === 'lost') return lose()
      if (outcome === 'changed') reloads = true
      else noteStored()
      pump()
    },
  }

  function noteStored(): void {
    stored = taken
    run.health = { ...run.health, notice: null }
    if (run.logged < PRUNE_AFTER) return
    run.logged = 0
    parts.expire(run.webhook)
  }

  function lose(): void {
    if (run.isOver) return
    run.isOver = true
    clearTimeout(timer)
    stopListening()
    drained.resolve()
    if (run.inFlight === 0) idle.resolve()
    ended.resolve()
  }

  async function stop(graceMs: number): Promise<void> {
    if (isStopping || run.isOver) return ended.promise
    isStopping = true
    clearTimeout(timer)
    if (run.inFlight === 0 && !pumping) drained.resolve()
    const grace = setTimeout(() => drained.resolve(), graceMs).unref()
    await drained.promise
    clearTimeout(grace)
    await parts.flusher.now(flushable)
    lose()
  }

  const stopListening = parts.listen(factsOf(leased.workspace_id), (sequence) => {
    const isNew = sequence > head
    head = Math.max(head, sequence)
    if (isNew) pump()
  })
  pump()

  return {
    webhook: () => run.webhook,
    reload() {
      reloads = true
      pump()
    },
    tick() {
      const before = run.health
      run.health = afterTime(before, now())
      if (run.health === before) return
      run.unwritten.mark()
      run.flushSoon()
    },
    lose,
    stop,
    ended: ended.promise,
    idle: idle.promise,
  }
}

function rowOf({ resource, record_id, sequence, attempt, due_at, delivery_id }: BlockedRecord): BlockedRow {
  return { resource, record_id, sequence, attempt, due_at, delivery_id }
}
