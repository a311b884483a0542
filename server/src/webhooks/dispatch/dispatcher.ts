import { newId } from '@kith/contract/id'
import { FAILING_DAYS } from '@kith/contract/limits'
import type { DisabledReason } from '@kith/contract/webhooks/webhook'
import { type Leases, openLeases } from '../../leases/leases.ts'
import { askWith, type RunStep } from '../../leases/step.ts'
import { asIs, type Mail, mailOf, told } from '../../outbound/mail.ts'
import type { Sender } from '../../outbound/sender.ts'
import type { Runtime } from '../../scope/scope.ts'
import { findCreator, loadMembers } from '../../storage/tables/members.ts'
import { deliveredLog, expireOf } from '../../storage/tables/retention.ts'
import { loadLeased, takeNotices, type WebhookRow, webhookLeases } from '../../storage/tables/webhooks.ts'
import { attempt } from '../attempt.ts'
import { deliver } from './deliver.ts'
import { openReader } from './reader.ts'
import { newRun, type Run, type RunParts } from './run.ts'
import type { webhookSteps } from './steps.ts'
import { openStore } from './store.ts'

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
