import { useState } from 'react'
import type { RecordInput } from '../api/patch-record.ts'
import { type ApiRecord, nameOf } from '../api/records.ts'
import { useSchema } from '../api/schema.ts'
import { useSlug } from '../api/workspace.ts'
import { fromLocalInput } from '../format/moments.ts'
import { pathOf } from '../places.ts'
import type { BackReference } from '../properties/back-references.ts'
import { appearanceIn } from '../resources.ts'
import { NEW } from './draft-store.ts'
import { discardDraft, draftAt, draftKey, putDraft, removeDraft, useDraftAt, useShowsDraft } from './drafts.ts'
import { useQueueFailure } from './queue.ts'

type ActivityResource = 'notes' | 'tasks'

/** A note or a task that is being written. */
export type ActivityDraft = {
  kind: ActivityResource
  title: string
  body: string
  /** In the reader's time, as the input has it. */
  due: string
  /** The id of a member, or empty. */
  assignee: string
}

const fresh: ActivityDraft = { kind: 'notes', title: '', body: '', due: '', assignee: '' }

export function isEmpty({ kind, title, body }: ActivityDraft): boolean {
  return title.trim() === '' && (kind === 'tasks' || body.trim() === '')
}

/** A title of this length is short enough for lists. */
const TITLE_MAX = 80

/** The input that is sent. A note without a title is called like its first line. */
export function inputOf({ kind, title, body, due, assignee }: ActivityDraft): RecordInput {
  if (kind === 'tasks') {
    const assignees = assignee === '' ? {} : { assignee_ids: [assignee] }
    return { title: title.trim(), custom_fields: due === '' ? {} : { due_date: fromLocalInput(due) }, ...assignees }
  }
  const [first = ''] = body.trim().split('\n')
  const named = title.trim() || [...first.replace(/^[#>*\s-]+/, '')].slice(0, TITLE_MAX).join('') || 'Note'
  return { title: named, custom_fields: body.trim() === '' ? {} : { body } }
}

/** Changes the text of the note that is being written about a record, unless there is none any more. */
export function appendToNote(slug: string, about: string, append: (text: unknown) => string): void {
  const draft = draftAt({ slug, resource: 'notes', id: NEW, property: propertyOf(about) })
  if (!draft || draft.state === 'waiting') return
  const { kind: _kind, ...typed } = { ...fresh, ...draft.form }
  const form = { ...typed, body: append(typed.body) }
  const { title, custom_fields = {} } = inputOf({ ...form, kind: 'notes' })
  const input = { ...draft.change.input, title, custom_fields }
  putDraft({ ...draft, form, change: { input, shown: { title, custom_fields } } })
}

/** Removes the note that is being written about a record if nothing is in it. Returns how it comes back. */
export function removeEmptyNote(slug: string, about: string): (() => void) | undefined {
  const draft = draftAt({ slug, resource: 'notes', id: NEW, property: propertyOf(about) })
  if (!draft || draft.state === 'waiting' || Object.values(draft.form ?? {}).some((text) => text !== ''))
    return undefined
  removeDraft(draft)
  return () => putDraft(draft)
}

function propertyOf(about: string): string {
  return `activity ${about}`
}

/**
 * The note or task that is being written about a record. It is a draft of the queue: no reload, no outage and no ended
 * session loses it.
 */
export function useActivityDraft(record: ApiRecord, kin: readonly BackReference[]) {
  const slug = useSlug()
  const schema = useSchema()
  const placeOf = (kind: ActivityResource) => ({ slug, resource: kind, id: NEW, property: propertyOf(record.id) })
  const [notes, tasks] = [useDraftAt(placeOf('notes')), useDraftAt(placeOf('tasks'))]
  const [chosen, setChosen] = useState<ActivityResource>()
  const kind = chosen ?? (tasks && !notes ? 'tasks' : 'notes')
  const kept = kind === 'tasks' ? tasks : notes
  const failure = useQueueFailure()
  useShowsDraft(kept && draftKey(kept))
  const draft: ActivityDraft = { ...fresh, ...kept?.form, kind }
  const put = ({ kind: of, ...form }: ActivityDraft, state: 'typing' | 'waiting') => {
    const about = kin.find(({ resource }) => resource === of)
    if (!about) return
    const { title, custom_fields = {} } = inputOf({ ...form, kind: of })
    const label = `New ${appearanceIn(schema, of).one} about ${nameOf(record)}`
    const change = {
      input: { ...inputOf({ ...form, kind: of }), [about.attribute]: [record.id] },
      shown: { title, custom_fields },
    }
    const page = pathOf(slug, record.type, record.id)
    putDraft({ ...placeOf(of), label, name: form.title, page, change, form, state })
  }
  const isWaiting = kept?.state === 'waiting'
  return {
    draft,
    isWaiting,
    problem: isWaiting ? failure : kept?.problem,
    change(changes: Partial<ActivityDraft>) {
      // An attempt without an answer may have created it: only the same attempt again is safe.
      if (isWaiting) return
      const next = { ...draft, ...changes }
      setChosen(next.kind)
      if (next.kind !== kind) removeDraft(placeOf(kind))
      if (next.title + next.body + next.due + next.assignee === '') removeDraft(placeOf(next.kind))
      else put(next, 'typing')
    },
    /** Keeps it before anything is typed, so that a file can be put into it. */
    begin: () => !isWaiting && put(draft, 'typing'),
    create: () => !isWaiting && put(draft, 'waiting'),
    discard: () => kept && discardDraft(kept),
  }
}
