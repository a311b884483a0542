import { newId } from '@kith/contract/id'
import { FAILING_DAYS } from '@kith/contract/limits'
import type { DisabledReason } from '@kith/contract/webhooks/webhook'
import type { Answer, Mail } from '../../calls/answer.ts'
import type { Call } from '../../calls/call.ts'
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
import { forgetDeliveriesOf } from '../forget-deliveries.ts'
import { attempt } from '../send/attempt.ts'
import type { Sender } from '../send/sender.ts'
import { openFeedReader, openPresenter } from './feed-reader.ts'
import { openFlusher } from './flusher.ts'
import { type Run, startRun } from './run.ts'
import type { RunParts } from './run-state.ts'
import { askWith } from './steps.ts'

const LEASE_MS = 30_000
const RENEW_MS = 10_000
/** How often a node looks for endpoints without a node, and for changes of those that it has. */
const LOOK_MS = 1000
/** How long requests that are being sent are waited for when the service stops. */
const GRACE_MS = 5000

type DispatcherParts = Pick<RunParts, 'listen' | 'retries' | 'hosted' | 'resync' | 'onFailure'> & {
  runtime: Runtime
  execute(call: Call): Promise<Answer>
  sender: Sender
  app_url: string
  /** Undefined if the installation has no mail server. */
  sendMail: ((mail: Mail) => Promise<void>) | undefined
}

export type Dispatcher = {
  /** A webhook may have been changed in this process. */
  soon(): void
  stop(): Promise<void>
}

/** Delivers changes to endpoints: each endpoint by the node that has its lease. */
export function openDispatcher(parts: DispatcherParts): Dispatcher {
  const { runtime, execute, sender, onFailure } = parts
  const { engine, now, secret } = runtime
  const node = newId(now().getTime())
  const runs = new Map<string, Run>()
  /** Endpoints to which something is still being sent, although their run has ended. */
  const ending = new Set<string>()
  let leasedUntil = 0
  let renewedAt = 0
  let stopped = false
  let looking: Promise<void> | undefined
  let again = false

  const ask = askWith(execute, now)
  const shared: RunParts = {
    ...{ runtime, node, ask, listen: parts.listen, retries: parts.retries, hosted: parts.hosted, resync: parts.resync },
    reader: openFeedReader(ask),
    presenter: openPresenter(ask),
    flusher: openFlusher(ask, node, onFailure),
    attempt: (attempting) => attempt({ sender, secret, now }, attempting),
    isLeased: () => now().getTime() < leasedUntil,
    prune: (webhook) => void forgetDeliveriesOf(engine, webhook, { at: now() }).catch(onFailure),
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
        if (await hasWebhookWork(engine, now().toISOString())) {
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
    const at = now().getTime()
    if (runs.size === 0 || at - renewedAt < RENEW_MS) return
    await renewWebhooks(engine, { by: node, until: new Date(at + LEASE_MS).toISOString() })
    renewedAt = at
    leasedUntil = at + LEASE_MS
  }

  /** Notices what was changed by callers, in any process. */
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
    const at = now()
    const until = new Date(at.getTime() + LEASE_MS).toISOString()
    const rows = await leaseWebhooks(engine, { by: node, now: at.toISOString(), until })
    if (runs.size === 0) {
      renewedAt = at.getTime()
      leasedUntil = renewedAt + LEASE_MS
    }
    for (const row of rows) start(row)
  }

  function start(row: WebhookRow): void {
    runs.get(row.id)?.lose()
    // It is taken again later. Two runs would not keep the order of events.
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

/** Tells the creators and the owners of workspaces that their endpoints fail or are disabled. */
async function sendNotices({ runtime, app_url, sendMail, onFailure }: DispatcherParts): Promise<void> {
  const { engine } = runtime
  for (const webhook of await takeNotices(engine)) {
    const workspace = await findCreator(engine.db, webhook)
    if (!workspace || !sendMail) continue
    const members = await loadMembers(engine.db, webhook.workspace_id)
    const readers = members.filter(({ user_id, role }) => role === 'owner' || user_id === webhook.creator_id)
    const address = `${app_url}/${workspace.slug}/settings/webhooks`
    for (const { email } of readers) {
      await sendMail(noticeOf(webhook, { to: email, workspace: workspace.name, address })).catch(onFailure)
    }
  }
}

const reasons: Readonly<Record<DisabledReason, string>> = {
  gone: 'The receiver answered 410: it does not want events any more.',
  failing: `Nothing could be delivered for ${FAILING_DAYS} days.`,
  creator: 'The member who created it has left the workspace.',
  filter: 'Its filter names a field or an option that no longer exists.',
}

type Reader = { to: string; workspace: string; address: string }

function noticeOf(webhook: WebhookRow & { notice: 'failing' | 'disabled' }, reader: Reader): Mail {
  const { url, notice, reason } = webhook
  const isDisabled = notice === 'disabled'
  const what = isDisabled ? 'is disabled' : 'has failed for an hour'
  const why = isDisabled ? (reason === null ? '' : reasons[reason]) : 'No event could be delivered since then.'
  const then = isDisabled
    ? 'Nothing is sent any more. Once it is active again, it continues where it stopped.'
    : `Events are kept and sent when the receiver accepts them again. After ${FAILING_DAYS} days the webhook is disabled.`
  const text = [`The webhook ${url} of the workspace ${reader.workspace} ${what}.`, why, then, '', reader.address]
  return { to: reader.to, subject: `A webhook of ${reader.workspace} ${what}`, text: text.join('\n') }
}
