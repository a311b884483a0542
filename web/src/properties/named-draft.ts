import { registry } from '@kith/contract/registry'
import type { ResourceName } from '@kith/contract/resource'
import { useEffect, useRef } from 'react'
import { useQueueFailure } from '../api/draft-queue.ts'
import { type Draft, draftKey, NEW, putDraft, removeDraft, useDraftAt } from '../api/drafts.ts'
import type { RecordInput } from '../api/patch-record.ts'
import { nameOf } from '../api/records.ts'
import { discardDraft } from '../api/settle-draft.ts'
import { useShowsDraft } from '../api/shown-drafts.ts'
import { useSlug } from '../api/workspace.ts'

type Asked = {
  resource: ResourceName
  /** Where it is typed. Each line of a page has its own. */
  at: string
  /** What it will be, in words. */
  label: string
  /** The page where it is typed. */
  page: string
  /** What the record has besides its name. */
  values: RecordInput
  /** Whether its creation is told, with a way back. */
  told?: boolean
  /** Whether the line is on the screen. */
  shown?: boolean
  onCreated?(): void
}

/** The name of a new record, typed into a line. It stays until the record is stored or the user gives it up. */
export function useNamedDraft({ resource, at, label, page, values, told, shown = true, onCreated }: Asked) {
  const slug = useSlug()
  const place = { slug, resource, id: NEW, property: at }
  const draft = useDraftAt(place)
  const failure = useQueueFailure()
  useShowsDraft(draft && shown ? draftKey(place) : undefined)
  const name = registry[resource].label
  const typed = draft ? nameOf({ attributes: draft.change.shown }) : ''
  const isWaiting = draft?.state === 'waiting'
  const put = (text: string, state: Draft['state']) => {
    const change = { input: { ...values, [name]: text }, shown: { [name]: text } }
    const about = { label, name: text, page, ...(told && { told: { message: `Created ${text}` } }) }
    putDraft({ ...place, ...about, change, state })
  }
  const wasWaiting = useRef(false)
  useEffect(() => {
    if (!draft && wasWaiting.current) onCreated?.()
    wasWaiting.current = isWaiting
  })
  return {
    typed,
    /** It is on its way to the service, and cannot be changed. */
    isWaiting,
    problem: isWaiting ? failure : draft?.problem,
    type: (text: string) => (text === '' ? removeDraft(place) : put(text, 'typing')),
    create: () => typed.trim() !== '' && !isWaiting && put(typed.trim(), 'waiting'),
    /** Gives it up, with a way back. */
    discard: () => draft && discardDraft(draft),
  }
}
