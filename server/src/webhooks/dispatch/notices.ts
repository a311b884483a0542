import { FAILING_DAYS } from '@kith/contract/limits'
import type { DisabledReason } from '@kith/contract/webhooks/webhook'
import type { Mail } from '../../calls/answer.ts'
import type { Engine } from '../../storage/engines/engine.ts'
import { findCreator } from '../../storage/tables/creators.ts'
import { loadMembers } from '../../storage/tables/members.ts'
import { takeNotices, type WebhookRow } from '../../storage/tables/webhooks.ts'

type Notifying = {
  engine: Engine
  app_url: string
  /** Undefined if the installation has no mail server. */
  sendMail: ((mail: Mail) => Promise<void>) | undefined
  onFailure(error: unknown): void
}

/** Tells the creators and the owners of workspaces that their endpoints fail or are disabled. */
export async function sendNotices({ engine, app_url, sendMail, onFailure }: Notifying): Promise<void> {
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
