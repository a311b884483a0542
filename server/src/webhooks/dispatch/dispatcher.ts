import { setImmediate } from 'node:timers/promises'
import { newId } from '@kith/contract/id'
import { FAILING_DAYS } from '@kith/contract/limits'
import { roleMay } from '@kith/contract/permissions'
import type { DisabledReason } from '@kith/contract/webhooks/webhook'
import { creatorRights } from '../../accounts/revoke-access.ts'
import { type Leases, openLeases } from '../../leases/leases.ts'
import { askWith, factsOf, type RunStep } from '../../leases/step.ts'
import { asIs, type Mail, mailOf, told } from '../../outbound/mail.ts'
import type { Sender } from '../../outbound/sender.ts'
import type { Runtime, ScopeFacts } from '../../scope/scope.ts'
import { findCreator, loadMembers } from '../../storage/tables/members.ts'
import { deliveredLog, expireOf } from '../../storage/tables/retention.ts'
import { findRevision, loadLeased, takeNotices, type WebhookRow, webhookLeases } from '../../storage/tables/webhooks.ts'
import { attempt } from '../attempt.ts'
import { afterTime, disabled } from './health.ts'
import { closedRecords, dueRecords, read, replaysAt, wantsEvents, wantsReplays } from './read.ts'
import { openReader } from './reader.ts'
import { isOpen, newRun, type Run, type RunParts, resetOf } from './run.ts'
import { nextItems, send } from './send.ts'
import type { webhookSteps } from './steps.ts'
import { adopt, openStore } from './store.ts'

const LEASE_MS = 30_000

type DispatcherParts = Pick<RunParts, 'listen' | 'retries' | 'hosted' | 'resync' | 'onFailure'> & {
  runtime: Runtime
  runStep: RunStep
  sender: Sender
  app_url: string
  /** Undefined if the installation has no mail server. */
  sendMail: ((mail: Mail) => Promise<void>) | undefined
}

/** Delivers changes to endpoints. Each endpoint is served by the node with its lease. */
export function openDispatcher(parts: DispatcherParts): Leases {
  const { runtime, runStep, sender, onFailure } = parts
  const { engine, now, secret } = runtime
  const node = newId(now().getTime())
  const runs = new Map<string, Run>()
  /** Sent beside the loop that renews the leases: a mail server may take long to answer. */
  let notices: Promise<void> | undefined
  const ask = askWith<typeof webhookSteps>(runStep, (handler) => (handler === 'store-progress' ? 'write' : 'read'))
  const { listen, retries, hosted, resync } = parts
  const shared: RunParts = {
    runtime,
    node,
    listen,
    retries,
    hosted,
    resync,
    reader: openReader(ask),
    store: openStore(ask, { node, onFailure }),
    attempt: (attempting) => attempt({ sender, secret, now }, attempting),
    isHeld: () => leases.isHeld(),
    expire({ workspace_id: workspaceId, id: value }) {
      expireOf(engine, deliveredLog, { workspaceId, value, at: now() }).catch(onFailure)
    },
    onFailure,
  }

  async function run(row: WebhookRow, stopped: AbortSignal): Promise<void> {
    const own = newRun(shared, row, stopped)
    runs.set(row.id, own)
    await deliver(own).finally(() => runs.delete(row.id))
  }

  /** Detects changes of endpoints by callers, in any process. */
  async function look(): Promise<void> {
    if (runs.size > 0) {
      const leased = new Map((await loadLeased(engine.db, node)).map(({ id, revision }) => [id, revision]))
      for (const [id, run] of runs) {
        if (leased.get(id) === run.webhook.revision) continue
        // A row that is missing belongs to another node, or was deleted: its run finds out.
        run.isChanged = true
        run.alarm.wake()
      }
    }
    notices ??= sendNotices(parts)
      .catch(onFailure)
      .finally(() => {
        notices = undefined
      })
  }

  const leases = openLeases({ runtime, table: webhookLeases, node, lease_ms: LEASE_MS, run, look, onFailure })
  return {
    soon: leases.soon,
    async stop() {
      await leases.stop()
      await notices
      await sender.close()
    },
  }
}

/** Notifies the creators and the owners of workspaces that their endpoints fail or are disabled. */
async function sendNotices({ runtime, app_url, sendMail, onFailure }: DispatcherParts): Promise<void> {
  const { engine, now } = runtime
  const taken = await takeNotices(engine)
  // One mail for several endpoints with the same event.
  for (const webhooks of Map.groupBy(taken, whatHappened).values()) {
    const [webhook] = webhooks
    const workspace = webhook && (await findCreator(engine.db, webhook, now()))
    if (!workspace || !sendMail) continue
    const members = await loadMembers(engine.db, webhook.workspace_id)
    const readers = members.filter(({ user_id, role }) => role === 'owner' || user_id === webhook.creator_id)
    const address = `${app_url}/${workspace.slug}/settings/webhooks`
    for (const { email } of readers) {
      await sendMail(noticeOf(webhooks, { to: email, workspace: workspace.name, address })).catch(onFailure)
    }
  }
}

const reasons: Readonly<Record<DisabledReason, string>> = {
  gone: 'The receiver answered 410: it does not want events any more.',
  failing: `Nothing could be delivered for ${FAILING_DAYS} days.`,
  creator: 'The member who created it has left the workspace.',
  filter: 'Its filter names a field or an option that no longer exists.',
  token: 'The token or connection that created it was revoked or has expired.',
  role: 'The member who created it may no longer change records.',
  password: 'The password of the member who created it was reset.',
}

type NoticeRow = WebhookRow & { notice: 'failing' | 'disabled' }

function whatHappened({ workspace_id, creator_id, notice, reason }: NoticeRow): string {
  return [workspace_id, creator_id, notice, reason].join(' ')
}

/** The mail about webhooks with the same event. */
function noticeOf(
  webhooks: readonly NoticeRow[],
  { to, workspace, address }: { to: string; workspace: string; address: string },
): Mail {
  const isDisabled = webhooks[0]?.notice === 'disabled'
  const reason = webhooks[0]?.reason ?? null
  const isOne = webhooks.length === 1
  const failed = `${isOne ? 'has' : 'have'} failed for an hour`
  const what = isDisabled ? `${isOne ? 'is' : 'are'} disabled` : failed
  return mailOf(to, told`${isOne ? 'A webhook' : `${webhooks.length} webhooks`} of ${workspace} ${what}`, [
    told`${isOne ? 'This webhook' : 'These webhooks'} of the workspace ${workspace} ${what}:`,
    ...webhooks.map(({ url }) => told`${url}`),
    asIs(isDisabled ? (reason === null ? '' : reasons[reason]) : 'No event could be delivered since then.'),
    asIs(isDisabled ? STOPPED : KEPT),
    asIs(address),
  ])
}

const STOPPED = 'Nothing is sent any more. A webhook that is made active again continues where it stopped.'
const KEPT =
  'Events are kept and sent when the receiver accepts them again. ' +
  `After ${FAILING_DAYS} days a webhook is disabled.`

/** No new requests start while more than this is not stored. */
const UNSTORED_MAX_BYTES = 4 * 1024 * 1024
const RETRY_MS = 1000
const PAUSED_MS = 5000
const SLEEP_MIN_MS = 20
const SLEEP_MAX_MS = 60_000
/** How long to wait for running requests when the service stops. */
const GRACE_MS = 5000

/** Delivers until the endpoint is paused, disabled or lost, or the service stops. */
async function deliver(run: Run): Promise<void> {
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
