import { factsOf } from '../../leases/step.ts'
import type { WebhookRow } from '../../storage/tables/webhooks.ts'
import { healthColumns } from './health.ts'
import { emptyResults, isoNow, keyOf, positionOf, type Run, type RunParts } from './run.ts'
import type { AskWebhooks } from './steps.ts'
import type { ChangedRows, Progress, StoreResult } from './store-progress.ts'

/** The position and the log are at most a second late. */
const STORE_MS = 400
const RETRY_MS = 1000
/** After this many deliveries, old entries of the log are deleted. */
const EXPIRE_AFTER = 500

/** Endpoints of a workspace, whose progress is stored in one transaction. */
type Group = { runs: Set<Run>; timer: NodeJS.Timeout | undefined; last: Promise<void> }

export function openStore(
  ask: AskWebhooks,
  { node, onFailure }: { node: string; onFailure(error: unknown): void },
): RunParts['store'] {
  const groups = new Map<string, Group>()

  function add(run: Run): Group {
    const { workspace_id } = run.webhook
    const empty = () => ({ runs: new Set<Run>(), timer: undefined, last: Promise.resolve() })
    const group = groups.getOrInsertComputed(workspace_id, empty)
    group.runs.add(run)
    return group
  }

  /** One transaction per workspace at a time: progress that is taken later must not be stored earlier. */
  function store(group: Group): Promise<void> {
    group.last = group.last.then(() => write(group))
    return group.last
  }

  async function write(group: Group): Promise<void> {
    clearTimeout(group.timer)
    group.timer = undefined
    const runs = [...group.runs].flatMap((run) => {
      const progress = takeProgress(run)
      return progress ? [{ run, progress }] : []
    })
    group.runs.clear()
    const [first] = runs
    if (!first) return
    const progress = runs.map((one) => one.progress)
    try {
      const results = await ask(factsOf(first.run.webhook.workspace_id), 'store-progress', { node, progress })
      for (const [index, one] of runs.entries()) noteResult(one.run, one.progress, results[index] ?? 'lost')
    } catch (error) {
      onFailure(error)
      for (const one of runs) keepProgress(one.run, one.progress)
      for (const { run } of runs) if (!run.isLost) group.runs.add(run)
      group.timer ??= setTimeout(() => void store(group), RETRY_MS).unref()
    }
  }

  return {
    soon(run) {
      if (run.isLost) return
      const group = add(run)
      group.timer ??= setTimeout(() => void store(group), STORE_MS).unref()
    },
    now: (run) => store(add(run)),
  }
}

/** Undefined if there is nothing to store or to read. */
function takeProgress(run: Run): Progress | undefined {
  const { webhook, stored, results } = run
  const { records, deliveries, updates, delays, again } = results
  run.webhook = { ...webhook, sequence: positionOf(run) }
  const position = changedIn(run, ['epoch', 'sequence'])
  const health = changedIn(run, healthColumns)
  const count = deliveries.length + updates.length + delays.length + records.size
  if (count + Object.keys({ ...position, ...health }).length === 0 && !run.isChanged) return undefined
  run.storing = results
  run.results = emptyResults()
  // A stored notice is sent by the node that takes it. Writing it again would send it again.
  run.webhook.notice = null
  return {
    webhook_id: webhook.id,
    stored: { revision: stored.revision, epoch: stored.epoch, sequence: stored.sequence },
    position,
    health,
    blocked: {
      keys: [...records.values()].map(({ resource, record_id }) => ({ resource, record_id })),
      rows: [...records.keys()].flatMap((key) => run.blocked.get(key) ?? []),
    },
    log: { deliveries, updates, delays, again },
  }
}

/** The columns that differ from the stored ones. */
function changedIn({ webhook, stored }: Run, names: readonly (keyof WebhookRow)[]): Partial<WebhookRow> {
  const changed = names.filter((name) => webhook[name] !== stored[name])
  return Object.fromEntries(changed.map((name) => [name, webhook[name]]))
}

function noteResult(run: Run, progress: Progress, result: StoreResult): void {
  run.storing = undefined
  run.logged += progress.log.deliveries.length
  if (result === 'lost') run.isLost = true
  else if (result === 'stored') {
    run.stored = { ...run.stored, ...progress.position, ...progress.health, notice: null }
    run.isChanged = false
  } else {
    run.changed = result
    if (!result.moved) run.stored = { ...run.stored, ...progress.position }
  }
  if (run.logged >= EXPIRE_AFTER) {
    run.logged = 0
    run.parts.expire(run.webhook)
  }
  run.alarm.wake()
}

/** Continues with the rows as a caller has changed them. */
export function adopt(run: Run, { webhook, blocked, moved }: ChangedRows): void {
  run.changed = undefined
  if (moved) {
    run.fresh = []
    run.retries = []
  }
  run.isChanged = moved && run.sending.size > 0
  // Requests that began at the old position end first.
  if (run.isChanged) {
    run.webhook = { ...run.webhook, state: webhook.state }
    return
  }
  const startsAgain = run.webhook.failures > 0 && webhook.failures === 0
  const rows = new Map(blocked.map((row) => [keyOf(row), { ...row, covered: run.blocked.get(keyOf(row))?.covered }]))
  if (moved) {
    run.results.records.clear()
    run.readUpTo = webhook.sequence
    for (const row of rows.values()) row.covered = undefined
  }
  // Results of the meantime are newer than the rows.
  for (const key of run.results.records.keys()) {
    const own = run.blocked.get(key)
    if (own) rows.set(key, own)
    else rows.delete(key)
  }
  if (startsAgain) for (const row of rows.values()) row.due_at = isoNow(run)
  run.blocked = rows
  run.webhook = { ...webhook, notice: null }
  run.stored = run.webhook
  run.prepared = { at: 0, events: new Map() }
  run.replays.next = isoNow(run)
}

/** The progress could not be stored, or it is not known whether it was. */
function keepProgress(run: Run, { health }: Progress): void {
  const { storing, results } = run
  if (!storing) return
  run.storing = undefined
  run.webhook = { ...run.webhook, notice: run.webhook.notice ?? health.notice ?? null }
  run.results = {
    deliveries: [...storing.deliveries, ...results.deliveries],
    updates: [...storing.updates, ...results.updates],
    delays: [...storing.delays, ...results.delays],
    records: new Map([...storing.records, ...results.records]),
    again: true,
    hasReplays: storing.hasReplays || results.hasReplays,
    bytes: storing.bytes + results.bytes,
  }
}
