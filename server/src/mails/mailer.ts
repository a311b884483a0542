import { newId } from '@kith/contract/id'
import { MAIL_WINDOW_SECONDS, NOTICES_PER_USER } from '@kith/contract/limits'
import { creatorRights } from '../accounts/revoke-access.ts'
import { type Leases, openLeases } from '../leases/leases.ts'
import { askWith, type RunStep } from '../leases/step.ts'
import type { Spend } from '../limits/rate-limit.ts'
import { mayBeSentLater, type SendMail } from '../outbound/mail.ts'
import { factsOfMember, type Runtime, type ScopeFacts } from '../scope/scope.ts'
import {
  closeMailbox,
  giveBack,
  leaveToDigest,
  type MailboxRow,
  mailboxLeases,
  openMailboxes,
  postpone,
} from '../storage/tables/mails.ts'
import type { mailSteps } from './take-mail.ts'

const LEASE_MS = 30_000

/** How many members this process writes to at a time. */
const MAILBOXES_AT_ONCE = 4

const MINUTE_MS = 60_000

/** After how many minutes a mail is sent again that the mail server did not take. Then it is given up. */
const RETRY_MINUTES = [1, 5, 25, 120]

/** After an internal error. */
const POSTPONED_MS = 10 * MINUTE_MS

type MailerParts = {
  runtime: Runtime
  runStep: RunStep
  hosted: boolean
  app_url: string
  spend: Spend
  sendMail: SendMail
  onFailure(error: unknown): void
}

/**
 * Mails notifications. The node with the lease of a member's mailbox sends them. They are taken before they are sent,
 * so that no mail is sent twice: one that a node took and had not sent when it crashed is never sent.
 */
export function openMailer({ runtime, runStep, hosted, app_url, spend, sendMail, onFailure }: MailerParts): Leases {
  const { engine, now } = runtime
  const node = newId(now().getTime())
  const ask = askWith<typeof mailSteps>(runStep, () => 'write')
  const later = (ms: number) => new Date(now().getTime() + ms).toISOString()

  async function run(mailbox: MailboxRow, stopped: AbortSignal): Promise<void> {
    const member = { workspace_id: mailbox.workspace_id, creator_id: mailbox.id, token_id: null }
    try {
      const rights = await creatorRights(engine.db, member, { hosted, now: now() })
      // A workspace that is paused sends no mail.
      if (typeof rights === 'string') await postpone(engine, mailbox, { at: later(0), until: null })
      else {
        const facts = factsOfMember(rights.workspace, { user_id: mailbox.id, role: rights.role, source: 'web' })
        await sendTo(mailbox, facts, stopped)
      }
    } catch (error) {
      await postpone(engine, mailbox, { at: later(0), until: later(POSTPONED_MS) })
      throw error
    } finally {
      await closeMailbox(engine, mailbox, node)
    }
  }

  async function sendTo(mailbox: MailboxRow, facts: ScopeFacts, stopped: AbortSignal): Promise<void> {
    const { workspace_id, id: user_id } = mailbox
    const limit = { key: `notices to ${user_id}`, name: 'notifications by mail', limit: NOTICES_PER_USER }
    const { taken, morning } = await ask(facts, 'take-mail', { by: node, app_url })
    for (const { ids, digest, tries, mail } of taken) {
      const some = { workspace_id, user_id, ids }
      if (stopped.aborted) await giveBack(engine, some, { at: later(0), tries })
      else if (!digest && (await spend([limit], MAIL_WINDOW_SECONDS))?.refused) {
        await leaveToDigest(engine.single, some, morning)
      } else
        await sendMail(mail).catch(async (error: unknown) => {
          onFailure(error)
          const minutes = mayBeSentLater(error) ? RETRY_MINUTES[tries] : undefined
          if (minutes === undefined) return
          await giveBack(engine, some, { at: later(minutes * MINUTE_MS), tries: tries + 1 })
        })
    }
  }

  async function look(): Promise<void> {
    if ((await openMailboxes(engine, now())) > 0) leases.soon()
  }

  const table = mailboxLeases
  const leases = openLeases({ runtime, table, node, lease_ms: LEASE_MS, most: MAILBOXES_AT_ONCE, run, look, onFailure })
  return leases
}
