import { newId } from '@kith/contract/id'
import { type Reason, reasons } from '@kith/contract/notifications'
import type { Auditor } from '../journal/write.ts'
import { insertNotifications, lockMembers, type NotificationRow } from '../storage/tables/notifications.ts'
import { addToCounts } from '../storage/tables/records.ts'

/** Who is notified of an event, and why. */
export type Notice = Pick<NotificationRow, 'user_id' | 'reason' | 'resource' | 'record_id'> &
  Partial<Pick<NotificationRow, 'number' | 'detail' | 'event'>>

/**
 * Notifies members of one event, in its transaction: each once, for the first reason. Nobody is notified of what they
 * did. Former members are not notified.
 */
export async function notify(inside: Auditor, notices: readonly Notice[]): Promise<void> {
  const { source, user_id } = inside.actor
  // The command line acts with the rights of an owner, but is not that person.
  const actor_id = source === 'cli' ? null : user_id
  const first = new Map<string, Notice>()
  for (const notice of notices.toSorted(byReason)) {
    if (notice.user_id !== actor_id) first.getOrInsert(notice.user_id, notice)
  }
  if (first.size === 0) return
  const members = await lockMembers(inside, [...first.keys()])
  const now = inside.now().getTime()
  const rows = members.flatMap((member) => {
    const notice = first.get(member)
    return notice ? [{ number: 1, detail: null, event: null, ...notice, id: newId(now), actor_id }] : []
  })
  if (rows.length > 0) await noteNews(inside, await insertNotifications(inside, rows))
}

function byReason(one: { reason: Reason }, other: { reason: Reason }): number {
  return reasons.indexOf(one.reason) - reasons.indexOf(other.reason)
}

/** Lets the open windows of members know that their inbox has changed. */
export async function noteNews(inside: Parameters<typeof addToCounts>[0], members: readonly string[]): Promise<void> {
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
