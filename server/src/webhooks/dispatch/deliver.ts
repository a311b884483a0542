import { setImmediate } from 'node:timers/promises'
import { roleMay } from '@kith/contract/permissions'
import { creatorRights } from '../../accounts/revoke-access.ts'
import { factsOf } from '../../leases/step.ts'
import type { ScopeFacts } from '../../scope/scope.ts'
import { findRevision } from '../../storage/tables/webhooks.ts'
import { afterTime, disabled } from './health.ts'
import { closedRecords, dueRecords, read, replaysAt, wantsEvents, wantsReplays } from './read.ts'
import { isOpen, type Run, resetOf } from './run.ts'
import { nextItems, send } from './send.ts'
import { adopt } from './store.ts'

/** No new requests start while more than this is not stored. */
const UNSTORED_MAX_BYTES = 4 * 1024 * 1024
const RETRY_MS = 1000
const PAUSED_MS = 5000
const SLEEP_MIN_MS = 20
const SLEEP_MAX_MS = 60_000
/** How long to wait for running requests when the service stops. */
const GRACE_MS = 5000

/** Delivers until the endpoint is paused, disabled or lost, or the service stops. */
export async function deliver(run: Run): Promise<void> {
  const { parts, alarm, stopped } = run
  stopped.addEventListener('abort', alarm.wake)
  const stopListening = parts.listen(factsOf(run.webhook.workspace_id), (sequence) => {
    if (sequence <= run.head) return
    run.head = sequence
    alarm.wake()
  })
  // After a pause the rights are read, even if there is nothing to send, so that the endpoint shows that they ended.
  for (let hasSlept = false; isOpen(run); ) {
    const ms: number = await round(run, hasSlept).catch((error: unknown) => {
      parts.onFailure(error)
      return RETRY_MS
    })
    hasSlept = ms > 0 && isOpen(run) && (await alarm.sleep(ms))
  }
  stopListening()
  await parts.store.now(run)
  // Running requests must end before another node sends the next events of their records.
  for (const until = performance.now() + GRACE_MS; run.sending.size + run.replays.sending.size > 0; ) {
    const left = until - performance.now()
    if (left <= 0 && stopped.aborted) break
    await alarm.sleep(left > 0 ? left : GRACE_MS)
  }
  await parts.store.now(run)
  run.isLost = true
}

/** Reads and sends what can be sent now. Its results are stored later. Returns how long to sleep. */
async function round(run: Run, hasSlept: boolean): Promise<number> {
  const { parts } = run
  if (run.isChanged && !run.changed) await parts.store.now(run)
  if (run.changed) adopt(run, run.changed)
  // The rows could not be read, or requests are running that began before the endpoint was moved.
  if (run.isChanged) return RETRY_MS
  noteTime(run)
  if (!hasSlept && !hasWork(run)) return untilDue(run)
  const unstored = run.results.bytes + (run.storing?.bytes ?? 0)
  if (!parts.isHeld() || unstored > UNSTORED_MAX_BYTES) return RETRY_MS
  await read(run, factsOf(run.webhook.workspace_id))
  // Requests that end in the same turn of the event loop share a check of the rights.
  await setImmediate()
  const rights = await readRights(run)
  if (rights === 'paused') return PAUSED_MS
  if (rights === 'changed') run.isChanged = true
  else if (typeof rights === 'string') run.webhook = disabled(run.webhook, rights)
  else await send(run, rights)
  return run.isChanged || hasWork(run) ? 0 : untilDue(run)
}

/** What follows from the time alone, or from the end of all events that could fail. */
function noteTime(run: Run): void {
  const before = run.webhook
  run.webhook = afterTime(before, run.parts.runtime.now())
  if (run.blocked.size === 0 && before.state === 'failing') run.webhook = { ...run.webhook, state: 'active' }
  if (run.webhook !== before) run.parts.store.soon(run)
}

function hasWork(run: Run): boolean {
  return wantsEvents(run) || dueRecords(run).length > 0 || wantsReplays(run) || nextItems(run).length > 0
}

/** The time until the next attempt is due. */
function untilDue(run: Run): number {
  const reset = resetOf(run)
  const waiting = reset ? [reset].filter(() => run.sending.size === 0) : closedRecords(run)
  const times = [...waiting.map(({ due_at }) => due_at), replaysAt(run)].flatMap((time) => time ?? [])
  const next = times.reduce((least, time) => (time < least ? time : least), times[0] ?? '')
  const ms = next === '' ? SLEEP_MAX_MS : Date.parse(next) - run.parts.runtime.now().getTime()
  return Math.min(Math.max(ms, SLEEP_MIN_MS), SLEEP_MAX_MS)
}

async function readRights({
  parts,
  webhook,
}: Run): Promise<ScopeFacts | 'paused' | 'changed' | 'creator' | 'token' | 'role'> {
  const { engine, now } = parts.runtime
  const [rights, revision] = await Promise.all([
    creatorRights(engine.db, webhook, { hosted: parts.hosted, now: now() }),
    findRevision(engine.db, webhook),
  ])
  if (revision !== webhook.revision) return 'changed'
  if (typeof rights === 'string') return rights
  if (!roleMay(rights.role, 'create')) return 'role'
  const { creator_id: user_id, token_id } = webhook
  return {
    workspace: rights.workspace,
    actor: { user_id, role: rights.role, abilities: ['read'], token_id, source: 'api' },
  }
}
