import { newId } from '@kith/contract/id'
import { FAILING_DAYS } from '@kith/contract/limits'
import type { DisabledReason } from '@kith/contract/webhooks/webhook'
import type { RunStep } from '../../leases/step.ts'
import { asIs, type Mail, mailOf, told } from '../../outbound/mail.ts'
import type { Sender } from '../../outbound/sender.ts'
import type { Runtime } from '../../scope/scope.ts'
import { findCreator, loadMembers } from '../../storage/tables/members.ts'
import {
  hasWebhookWork,
  leaseWebhooks,
  loadLeased,
  releaseWebhook,
  renewWebhooks,
  takeNotices,
  type WebhookRow,
} from '../../storage/tables/webhooks.ts'
import { attempt } from '../attempt.ts'
import { expireDeliveriesOf } from '../list-deliveries.ts'
import { openFeedReader, openPresenter } from './feed-reader.ts'
import { openFlusher } from './flusher.ts'
import { type Run, startRun } from './run.ts'
import type { RunParts } from './run-state.ts'
import { askWith } from './steps.ts'

const LEASE_MS = 30_000
const RENEW_MS = 10_000
/** How often a node looks for endpoints without a node, and for changes of its own endpoints. */
const LOOK_MS = 1000
/** How long to wait for running requests when the service stops. */
const GRACE_MS = 5000

type DispatcherParts = Pick<RunParts, 'listen' | 'retries' | 'hosted' | 'resync' | 'onFailure'> & {
  runtime: Runtime
  runStep: RunStep
  sender: Sender
  app_url: string
  /** Undefined if the installation has no mail server. */
  sendMail: ((mail: Mail) => Promise<void>) | undefined
}

export type Dispatcher = {
  /** Called when a webhook may have been changed in this process. */
  soon(): void
  stop(): Promise<void>
}

/** Delivers changes to endpoints. Each endpoint is served by the node with its lease. */
export function openDispatcher(parts: DispatcherParts): Dispatcher {
  const { runtime, runStep, sender, onFailure } = parts
  const { engine, now, secret } = runtime
  const node = newId(now().getTime())
  const runs = new Map<string, Run>()
  /** Endpoints with running requests, although their run has ended. */
  const ending = new Set<string>()
  // A monotonic clock: a node whose clock is set back must keep renewing its leases and know when they end.
  let leasedUntil = 0
  let renewedAt = 0
  let stopped = false
  let looking: Promise<void> | undefined
  let again = false

  const ask = askWith(runStep)
  const shared: RunParts = {
    runtime,
    node,
    ask,
    listen: parts.listen,
    retries: parts.retries,
    hosted: parts.hosted,
    resync: parts.resync,
    reader: openFeedReader(ask),
    presenter: openPresenter(ask),
    flusher: openFlusher(ask, node, onFailure),
    attempt: (attempting) => attempt({ sender, secret, now }, attempting),
    isLeased: () => performance.now() < leasedUntil,
    expire: (webhook) => void expireDeliveriesOf(engine, webhook, { at: now() }).catch(onFailure),
    onFailure,
  }

  function look(): void {
    if (stopped) return
    again = true
    looking ??= lookAround()
  }

  async function lookAround(): Promise<void> {
    try {
      while (again && !stopped) {
        again = false
        await renew()
        await watch()
        if (await hasWebhookWork(engine)) {
          await leaseSome()
          await sendNotices(parts)
        }
      }
    } catch (error) {
      onFailure(error)
    } finally {
      looking = undefined
    }
  }

  async function renew(): Promise<void> {
    const at = performance.now()
    if (runs.size === 0 || at - renewedAt < RENEW_MS) return
    await renewWebhooks(engine, { by: node, ms: LEASE_MS })
    renewedAt = at
    leasedUntil = at + LEASE_MS
  }

  /** Detects changes of endpoints by callers, in any process. */
  async function watch(): Promise<void> {
    if (runs.size === 0) return
    const leased = new Map((await loadLeased(engine.db, node)).map((row) => [row.id, row]))
    for (const [id, run] of runs) {
      const row = leased.get(id)
      if (!row) run.lose()
      else if (row.revision !== run.webhook().revision) run.reload()
      run.tick()
    }
  }

  async function leaseSome(): Promise<void> {
    const at = performance.now()
    const rows = await leaseWebhooks(engine, { by: node, ms: LEASE_MS })
    if (runs.size === 0) {
      renewedAt = at
      leasedUntil = renewedAt + LEASE_MS
    }
    for (const row of rows) start(row)
  }

  function start(row: WebhookRow): void {
    runs.get(row.id)?.lose()
    // It is taken again later, because two runs would not keep the order of events.
    if (ending.has(row.id) || stopped) return void releaseWebhook(engine, row, node).catch(onFailure)
    const run = startRun(shared, row)
    runs.set(row.id, run)
    ending.add(row.id)
    void run.idle.then(() => ending.delete(row.id))
    void run.ended
      .then(async () => {
        if (runs.get(row.id) === run) runs.delete(row.id)
        await releaseWebhook(engine, row, node)
      })
      .catch(onFailure)
  }

  const timer = setInterval(look, LOOK_MS).unref()
  look()
  return {
    soon: look,
    async stop() {
      stopped = true
      clearInterval(timer)
      await looking
      await Promise.all([...runs.values()].map((run) => run.stop(GRACE_MS)))
      await Promise.allSettled([...runs.values()].map(({ webhook }) => releaseWebhook(engine, webhook(), node)))
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
