import { useEffect, useRef } from 'react'
import { useQueueFailure } from '../api/draft-queue.ts'
import {
  type Draft,
  type DraftPlace,
  draftAt,
  draftKey,
  isUnstored,
  lastStored,
  putDraft,
  removeDraft,
  replaceDraft,
  type Seen,
  useDraftAt,
} from '../api/drafts.ts'
import { changedRecord, type PropertyChange, sameValues, valuesAt } from '../api/patch-record.ts'
import { type ApiRecord, nameOf } from '../api/records.ts'
import { seenIn } from '../api/send-draft.ts'
import { useShowsDraft } from '../api/shown-drafts.ts'
import { useSlug } from '../api/workspace.ts'
import { showToast } from '../components/toast-store.ts'
import type { Property } from './property.ts'
import { isLongText } from './property-view.ts'

/** How long a long text rests before it saves itself. */
const PAUSE_MS = 1500

/** A property of a record with what was typed and is not saved yet. */
export type PropertyDraft = {
  draft: Draft | undefined
  /** The record as the user wants it to be. */
  shown: ApiRecord
  /** The record that an open editor began with, and the same without the draft. */
  edited: ApiRecord
  begun: ApiRecord
  /** Why the draft is not saved. Undefined while it is on its way. */
  problem: string | undefined
  /** Whether what was typed into the open editor is saved, in words. */
  status: string | undefined
  /** Keeps what was typed so far. Long texts save themselves soon. */
  type(change: PropertyChange): void
  save(change: PropertyChange): void
  /** Saves what was typed, if anything. */
  leave(): void
  /** Gives up what was typed since the editor was opened, with a way back. */
  cancel(reopen: () => void): void
}

export function usePropertyDraft(property: Property, record: ApiRecord, editing: boolean): PropertyDraft {
  const slug = useSlug()
  const place = placeOf(slug, property, record)
  const draft = useDraftAt(place)
  const problem = problemOf(draft, useQueueFailure())
  const shown = withDraft(record, draft)
  const opened = useRef<Opened>(undefined)
  if (!editing) opened.current = undefined
  else opened.current ??= { record, shown, draft, typed: false }
  useShowsDraft(draft && draftKey(place))

  const put = (change: PropertyChange, state: 'typing' | 'waiting') =>
    putChange({ slug, property, record: opened.current?.record ?? record }, change, state)
  const leave = () => {
    const typed = draftAt(place)
    if (typed?.state === 'typing') put(typed.change, 'waiting')
  }
  const pause = usePause(leave, editing && isLongText(property))
  return {
    draft,
    shown,
    edited: opened.current?.shown ?? shown,
    begun: opened.current?.record ?? record,
    problem,
    status: statusOf(draft, problem) ?? (opened.current?.typed ? 'Saved' : undefined),
    type(change) {
      if (opened.current) opened.current.typed = true
      put(change, 'typing')
      pause()
    },
    save: (change) => put(change, 'waiting'),
    leave,
    cancel(reopen) {
      const typed = draftAt(place)
      if (typed?.state !== 'typing') return
      const before = opened.current?.draft
      if (before && before.state !== 'typing') replaceDraft(before)
      else removeDraft(place)
      const undo = () => {
        replaceDraft(typed)
        reopen()
      }
      showToast({ message: `Discarded what you typed for ${property.label}`, undo })
    },
  }
}

type Opened = { record: ApiRecord; shown: ApiRecord; draft: Draft | undefined; typed: boolean }

/** Calls back after a pause in typing, and when the editor is gone: a text that is left by a link is saved as well. */
function usePause(then: () => void, on: boolean): () => void {
  const timer = useRef<number>(undefined)
  const latest = useRef(then)
  latest.current = then
  useEffect(() => {
    if (!on) return
    return () => {
      window.clearTimeout(timer.current)
      latest.current()
    }
  }, [on])
  return () => {
    window.clearTimeout(timer.current)
    if (on) timer.current = window.setTimeout(() => latest.current(), PAUSE_MS)
  }
}

export function placeOf(slug: string, { key }: Property, { type, id }: ApiRecord): DraftPlace {
  return { slug, resource: type, id, property: key }
}

/** A record as the user wants it to be. */
export function withDraft(record: ApiRecord, draft: Draft | undefined): ApiRecord {
  return draft && draft.state !== 'conflict' ? changedRecord(record, draft.change) : record
}

type Changed = { slug: string; property: Property; record: ApiRecord }

/** Keeps a change of a record as a draft. `waiting` sends it. */
export function putChange({ slug, property, record }: Changed, change: PropertyChange, state: Draft['state']): void {
  const place = placeOf(slug, property, record)
  const before = draftAt(place)
  const seen = before?.seen ?? seenBy(place, change, record)
  if (before?.sent || !isSame(change, seen)) {
    const about = { name: nameOf(record), label: property.label }
    putDraft({ ...place, ...about, change, seen, state, ...(before?.sent && { sent: true }) })
  } else if (before) removeDraft(place)
}

/** What the user saw. After a save of this tab that is what was saved, even if the page has not read it yet. */
function seenBy(place: DraftPlace, change: PropertyChange, record: ApiRecord): Seen {
  const own = lastStored(place)
  return own && own.version > record.attributes.updated_at ? own : seenIn({ change }, record)
}

/** Whether a change changes nothing. Lists of links cannot be compared: the record does not show them. */
function isSame(change: PropertyChange, seen: Seen): boolean {
  return change.relationships === undefined && sameValues(valuesAt(change.input, change.shown), seen.values)
}

function problemOf(draft: Draft | undefined, failure: string | undefined): string | undefined {
  if (!draft) return undefined
  if (draft.state === 'refused') return draft.problem
  if (draft.state === 'conflict') return 'Someone else has changed it meanwhile.'
  return isUnstored(draft) ? 'This browser has no room to keep it. Do not close this tab.' : failure
}

function statusOf(draft: Draft | undefined, problem: string | undefined): string | undefined {
  if (!draft) return undefined
  return problem === undefined ? 'Saving…' : `Not saved: ${problem}`
}
