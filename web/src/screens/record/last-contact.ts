import { useInfiniteQuery } from '@tanstack/react-query'
import { type ActivityItem, type ActivityPage, activityQuery } from '../../api/history.ts'
import type { ApiRecord } from '../../api/records.ts'
import { useSlug } from '../../api/workspace.ts'
import { includedIn, type RelatedRecord, relatedTo } from '../../properties/related.ts'
import { useIsDone } from '../../properties/task-state.ts'

/** The newest note, comment or completed task of a record. `comment` is the id of the comment. */
type Contact = { at: string; by: RelatedRecord | undefined; record?: ApiRecord; comment?: string }

/** The last contact. Undefined until it is known, null if there was none. */
export function useLastContact(record: ApiRecord): Contact | null | undefined {
  const slug = useSlug()
  const isDone = useIsDone()
  // The timeline has asked for it already.
  const { data: all } = useInfiniteQuery(activityQuery(slug, record, undefined))
  const [latest] = all?.pages ?? []
  const found = latest && lastContactIn(latest, isDone)
  // A record may have changed more often than a page of its timeline shows.
  const isHidden = latest !== undefined && !found && latest.meta.next_cursor !== null
  const contacts = useInfiniteQuery({ ...activityQuery(slug, record, CONTACTS), enabled: isHidden })
  if (!isHidden) return latest && (found ?? null)
  const [page] = contacts.data?.pages ?? []
  return page && (lastContactIn(page, isDone) ?? null)
}

const CONTACTS = 'notes,tasks,comments'

/** A task counts when it was completed, which is the last time that it was changed. */
export function lastContactIn(page: ActivityPage, isDone: (task: ApiRecord) => boolean): Contact | undefined {
  const included = includedIn(page)
  const contacts = page.data.flatMap((item) => contactsOf(item, { included, isDone }))
  return contacts.reduce<Contact | undefined>((last, one) => (last && last.at >= one.at ? last : one), undefined)
}

function contactsOf(
  item: ActivityItem,
  { included, isDone }: { included: ReturnType<typeof includedIn>; isDone(task: ApiRecord): boolean },
): Contact[] {
  if (item.kind === 'notes') {
    return [{ at: item.at, by: relatedTo(item.record, 'creator', included)[0], record: item.record }]
  }
  if (item.kind === 'tasks') {
    if (!isDone(item.record)) return []
    const [by] = ['assignees', 'creator'].flatMap((relation) => relatedTo(item.record, relation, included))
    return [{ at: item.record.attributes.updated_at, by, record: item.record }]
  }
  if (item.kind !== 'comments') return []
  return [item, ...item.replies].map(({ comment, creator }) => {
    const by = creator ? { ...creator, type: 'users' } : undefined
    return { at: comment.attributes.created_at, by, comment: comment.id }
  })
}
