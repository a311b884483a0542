import type { Said, Thread } from '@kith/contract/app/activity'
import type { CommentObject } from '@kith/contract/comment'
import { type InfiniteData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { showToast } from '../components/toast-store.ts'
import { call, searchOf } from './call.ts'
import type { ActivityPage } from './history.ts'
import { type ApiRecord, activityKey, refreshRecords } from './records.ts'

/** In the keys of live updates, and in the path of the API. */
const COMMENTS = 'comments'

/** The thread that a comment on a record belongs to. It has none if the comment was deleted. */
export function threadQuery(slug: string, { type, id }: ApiRecord, thread: string) {
  return queryOptions({
    queryKey: [...activityKey(slug), type, id, 'thread', thread],
    queryFn: ({ signal }) => {
      const search = searchOf({ resource: type, record_id: id, thread })
      return call<ActivityPage>('GET', `/w/${slug}/activity${search}`, { signal })
    },
  })
}

/** Shows the stored text of a comment in every thread that is remembered, until they are loaded again. */
export function patchComment(queries: QueryClient, slug: string, stored: ApiRecord): void {
  if (stored.type !== COMMENTS) return
  // What the service answers to a change of a comment.
  const comment = stored as unknown as CommentObject
  const said = <One extends Said>(one: One): One => (one.comment.id === comment.id ? { ...one, comment } : one)
  const thread = <One extends Thread>(one: One): One => ({ ...said(one), replies: one.replies.map(said) })
  const inPage = (page: ActivityPage): ActivityPage => {
    return { ...page, data: page.data.map((item) => (item.kind === 'comments' ? thread(item) : item)) }
  }
  queries.setQueriesData<ActivityPage | InfiniteData<ActivityPage>>({ queryKey: activityKey(slug) }, (known) => {
    if (known && 'pages' in known) return { ...known, pages: known.pages.map(inPage) }
    // Entries of the history have a key of the same beginning.
    return known && Array.isArray(known.data) ? inPage(known) : known
  })
}

/** Deletes a comment, says so, and offers to bring it back. */
export async function deleteComment(queries: QueryClient, slug: string, { id }: CommentObject): Promise<void> {
  const path = `/w/${slug}/v1/comments/${id}`
  await call('DELETE', path)
  await refreshRecords(queries, slug, COMMENTS)
  const undo = async () => {
    await call('PUT', `${path}/restore`)
    await refreshRecords(queries, slug, COMMENTS)
  }
  showToast({ message: 'Deleted the comment', undo })
}
