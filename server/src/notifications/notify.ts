import { newId } from '@kith/contract/id'
import { type Reason, reasons } from '@kith/contract/notifications'
import type { Auditor } from '../journal/write.ts'
import { firstLook } from '../storage/tables/mails.ts'
import { insertNotifications, lockMembers, type NotificationRow } from '../storage/tables/notifications.ts'
import { addToCounts } from '../storage/tables/records.ts'

/** Who is notified of an event, and why. */
export type Notice = Pick<NotificationRow, 'user_id' | 'reason' | 'resource' | 'record_id'> &
  Partial<Pick<NotificationRow, 'comment_id' | 'number' | 'detail' | 'event'>>

/**
 * Notifies members of events, in their transaction: of each event once, for the first reason. Nobody is notified of
 * what they did. Former members are not notified.
 */
export async function notify(inside: Auditor, ...events: readonly (readonly Notice[])[]): Promise<void> {
  const { source, user_id } = inside.actor
  // The command line acts with the rights of an owner, but is not that person.
  const actor_id = source === 'cli' ? null : user_id
  const notices = events.flatMap((event) => firstOfEach(event).filter((one) => one.user_id !== actor_id))
  if (notices.length === 0) return
  const members = new Set(await lockMembers(inside, [...new Set(notices.map((one) => one.user_id))]))
  const now = inside.now()
  const usual = { comment_id: null, number: 1, detail: null, event: null, actor_id }
  const rows = notices.flatMap((notice) =>
    members.has(notice.user_id)
      ? [{ ...usual, ...notice, id: newId(now.getTime()), mail_at: firstLook(notice.resource, now) }]
      : [],
  )
  if (rows.length > 0) await noteNews(inside, new Set(await insertNotifications(inside, rows)))
}

/** The notice of each person with the first reason. */
function firstOfEach(event: readonly Notice[]): Notice[] {
  const first = new Map<string, Notice>()
  for (const notice of event.toSorted(byReason)) first.getOrInsert(notice.user_id, notice)
  return [...first.values()]
}

/** For what nobody did: time passed, or work ended. */
export function byService<S extends Auditor>(inside: S): Omit<S, 'actor'> & Pick<Auditor, 'actor'> {
  return { ...inside, actor: { source: 'cli', user_id: null, token_id: null } }
}

function byReason(one: { reason: Reason }, other: { reason: Reason }): number {
  return reasons.indexOf(one.reason) - reasons.indexOf(other.reason)
}

/** Lets the open windows of members know that their inbox has changed. */
export async function noteNews(inside: Parameters<typeof addToCounts>[0], members: Iterable<string>): Promise<void> {
  for (const member of members) await addToCounts(inside, versionOf(member), 0, 0)
}

/** The name of the version of a member's inbox, among those of the resources. No resource has a space in its code. */
function versionOf(member: string): string {
  return `${INBOX}${member}`
}

const INBOX = 'notifications '

/** Of the versions of a workspace, those that a member may know: other inboxes are none of theirs. */
export function versionsFor(member: string, versions: Readonly<Record<string, number>>): Record<string, number> {
  const { [versionOf(member)]: own, ...others } = versions
  const shared = Object.entries(others).filter(([name]) => !name.startsWith(INBOX))
  return { ...Object.fromEntries(shared), notifications: own ?? 0 }
}
