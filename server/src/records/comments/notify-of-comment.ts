import { mentionsIn } from '@kith/contract/comment'
import type { Resource } from '@kith/contract/resource'
import { type Notice, notify } from '../../notifications/notify.ts'
import { posting, type Scope } from '../../scope/scope.ts'
import { forgetUnfollows } from '../../storage/tables/follows.ts'
import type { CommentRow } from '../../storage/tables/record-parts.ts'
import type { RecordRow } from '../../storage/tables/records.ts'
import { followersOf } from '../follows.ts'

type Written = {
  resource: Resource
  record: RecordRow
  comment: CommentRow
  /** The comment that it replies to. */
  parent: CommentRow | undefined
}

/** Notifies those whom a new comment mentions, whom it replies to, and who follow its record. */
export async function notifyOfComment(inside: Scope, { resource, record, comment, parent }: Written): Promise<void> {
  const { user_id } = inside.actor
  await forgetUnfollows(posting(inside), [{ user_id, record_id: record.id }])
  const replied = parent?.creator_id ? [notice(comment, parent.creator_id, 'replied')] : []
  const followers = await followersOf(inside, resource, record)
  await notify(inside, [
    ...mentionsIn(comment.body).ids.map((id) => mentioned(comment, id)),
    ...replied,
    ...[...followers].map((id) => notice(comment, id, 'commented')),
  ])
}

/** Notifies those whom an edit mentions anew. */
export async function notifyMentioned(inside: Scope, comment: CommentRow, members: readonly string[]): Promise<void> {
  await notify(
    inside,
    members.map((id) => mentioned(comment, id)),
  )
}

/** Of each comment once, however often it is edited. */
function mentioned(comment: CommentRow, member: string): Notice {
  return { ...notice(comment, member, 'mentioned'), event: `mention ${comment.id}` }
}

function notice({ id, resource, record_id }: CommentRow, user_id: string, reason: Notice['reason']): Notice {
  return { user_id, reason, resource, record_id, comment_id: id }
}
