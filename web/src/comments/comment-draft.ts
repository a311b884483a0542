import type { CommentObject } from '@kith/contract/comment'
import { type ApiRecord, nameOf } from '../api/records.ts'
import { useSlug } from '../api/workspace.ts'
import { type Draft, type DraftPlace, NEW, type SeenVersion } from '../drafts/draft-store.ts'
import {
  discardDraft,
  draftAt,
  draftKey,
  isUnstored,
  lastStored,
  putDraft,
  removeDraft,
  replaceDraft,
  sendAgain,
  useDraftAt,
  useShowsDraft,
} from '../drafts/drafts.ts'
import { useQueueFailure } from '../drafts/queue.ts'
import { pathOf } from '../places.ts'
import { mentionedIn, type Person, peopleIn, toStored, toTyped } from './mentions.ts'

/** What is written: a new comment on a record, a reply to one of its comments, or another text of one of them. */
type Writing = { record: ApiRecord; replyTo?: string; edited?: CommentObject }

/** Where a comment on a record is linked to. */
export function commentPath(slug: string, { type, id }: Pick<ApiRecord, 'type' | 'id'>, comment: string): string {
  return `${pathOf(slug, type, id)}?comment=${comment}`
}

function placeOf(slug: string, { record, replyTo, edited }: Writing): DraftPlace {
  if (edited) return { slug, resource: 'comments', id: edited.id, property: 'body' }
  const property = replyTo === undefined ? `comment ${record.id}` : `reply ${replyTo}`
  return { slug, resource: 'comments', id: NEW, property }
}

/** The text of a draft as it is edited, and the people whom it may mention. */
function typedIn(draft: Draft | undefined, edited: CommentObject | undefined): { text: string; people: Person[] } {
  if (draft) {
    const people = (draft.change.included ?? []).map((one) => ({ id: one.id, name: nameOf(one) }))
    return { text: draft.form?.text ?? '', people }
  }
  if (!edited) return { text: '', people: [] }
  const people = peopleIn(edited)
  return { text: toTyped(edited.attributes.body, people), people }
}

export type CommentDraft = ReturnType<typeof useCommentDraft>

/**
 * A comment that is being written. It is a draft of the queue: no reload, no outage and no ended session loses it, and
 * all tabs show the same text.
 */
export function useCommentDraft(writing: Writing) {
  const { record, replyTo, edited } = writing
  const slug = useSlug()
  const place = placeOf(slug, writing)
  const draft = useDraftAt(place)
  const failure = useQueueFailure()
  useShowsDraft(draft && draftKey(draft))
  const { text, people } = typedIn(draft, edited)
  const isWaiting = draft?.state === 'waiting'
  const put = (typed: string, named: readonly Person[], state: Draft['state']) => {
    const body = toStored(typed, named)
    const input = { body, ...(replyTo === undefined ? {} : { reply_to: replyTo }) }
    const included = named.map(({ id, name }) => ({ id, type: 'users', attributes: { name } }))
    const change = { input, shown: input, included }
    const before = draftAt(place)
    const seen = edited && (before?.theirs ?? before?.seen ?? seenOf(place, edited))
    const link = replyTo ?? edited?.id
    const next = {
      ...{ ...place, name: nameOf(record), label: labelOf(writing), change, form: { text: typed }, state },
      ...{ list: `${record.type}/${record.id}/comments`, sent: before?.sent, ...(seen && { seen }) },
      page: link === undefined ? pathOf(slug, record.type, record.id) : commentPath(slug, record, link),
    }
    // It stays a conflict until the user has compared both.
    if (before?.state === 'conflict') replaceDraft({ ...before, change, form: next.form })
    else if (!before?.sent && seen?.values.body === body) removeDraft(place)
    else putDraft(next)
  }
  return {
    text,
    people,
    mentioned: mentionedIn(text, people),
    exists: draft !== undefined,
    isWaiting,
    problem: problemOf(draft, failure),
    /** The text of another tab, if it was typed there at the same time. */
    other: draft?.state === 'conflict' ? toTyped(textAt(draft.theirs), people) : undefined,
    type(typed: string, named: readonly Person[] = people) {
      // An attempt without an answer may have created it: only the same attempt again is safe.
      if (isWaiting) return
      if (typed === '' && !edited) removeDraft(place)
      else put(typed, named, 'typing')
    },
    send() {
      if (isWaiting || text.trim() === '') return
      if (draft?.state === 'conflict') sendAgain(draft)
      else put(text, mentionedIn(text, people), 'waiting')
    },
    /** Goes on with the text of the other tab. */
    takeOther() {
      if (draft?.state !== 'conflict') return
      const { theirs, ...rest } = draft
      const input = { ...rest.change.input, body: textAt(theirs) }
      const change = { ...rest.change, input, shown: input }
      putDraft({ ...rest, change, form: { text: toTyped(textAt(theirs), people) }, state: 'typing' })
    },
    /** Gives it up, with a way back. */
    discard: () => draft && discardDraft(draft),
  }
}

function labelOf({ record, replyTo, edited }: Writing): string {
  if (edited) return 'Comment'
  return replyTo === undefined ? `New comment on ${nameOf(record)}` : `Reply on ${nameOf(record)}`
}

/** The version that the user saw. After a save of this tab it is the saved one, even if it is not read yet. */
function seenOf(place: DraftPlace, { attributes: { updated_at, body } }: CommentObject): SeenVersion {
  const own = lastStored(place)
  return own && own.version > updated_at ? own : { version: updated_at, values: { body } }
}

function textAt(seen: SeenVersion | undefined): string {
  return typeof seen?.values.body === 'string' ? seen.values.body : ''
}

/** Why it is not saved. Undefined while it is on its way. */
function problemOf(draft: Draft | undefined, failure: string | undefined): string | undefined {
  if (!draft) return undefined
  if (isUnstored(draft)) return 'This browser has no room to keep it. Do not close this tab.'
  return draft.state === 'waiting' ? failure : draft.problem
}
