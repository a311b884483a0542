import type { ResourceName } from '@kith/contract/resource'
import { useEffect, useRef } from 'react'
import type { Field } from '../api/fields.ts'
import { changedRecord, type PropertyChange, sameValues, valuesAt } from '../api/patch-record.ts'
import { type ApiRecord, nameOf } from '../api/records.ts'
import { useSlug } from '../api/workspace.ts'
import { showToast } from '../components/toast-store.ts'
import { type Property, propertyOf } from '../properties/property.ts'
import { isLongText } from '../properties/property-view.ts'
import { seenIn } from './draft-queue.ts'
import type { Draft, DraftPlace, SeenVersion } from './draft-store.ts'
import {
  draftAt,
  draftKey,
  isElsewhere,
  isOpenElsewhere,
  isUnstored,
  lastStored,
  putDraft,
  removeDraft,
  replaceDraft,
  useAllDrafts,
  useDraftAt,
  useShowsDraft,
} from './drafts.ts'
import { useQueueFailure } from './queue.ts'

/** A property of a record with its unsaved text. */
export type PropertyDraft = {
  draft: Draft | undefined
  /** The record as the user wants it to be. */
  shown: ApiRecord
  /** The record that an open editor began with or took over from another tab, and the one without the draft. */
  edited: ApiRecord
  begun: ApiRecord
  /** Changes when another tab has changed the text, so that the editor goes on with it. */
  revision: number
  /** Why the draft is not saved. Undefined while it is on its way. */
  problem: string | undefined
  /** Whether the text of the open editor is saved, in words. */
  status: string | undefined
  /** Keeps the typed text. Long texts save themselves soon. */
  type(change: PropertyChange): void
  save(change: PropertyChange): void
  /** Saves the typed text, if there is any. */
  leave(): void
  /** Saves it soon: the user has turned to something else. */
  turnAway(): void
  /** Discards the text typed since the editor was opened, with a way back. */
  cancel(reopen: () => void): void
}

export function usePropertyDraft(property: Property, record: ApiRecord, editing: boolean): PropertyDraft {
  const slug = useSlug()
  const place = placeOf(slug, property, record)
  const draft = useDraftAt(place)
  const problem = useDraftProblem(draft)
  const shown = withDraft(record, draft)
  const opened = useRef<{
    record: ApiRecord
    shown: ApiRecord
    draft: Draft | undefined
    typed: boolean
    /** The text of the editor now, if it was typed. */
    change: PropertyChange | undefined
    revision: number
  }>(undefined)
  if (!editing) opened.current = undefined
  else opened.current ??= { record, shown, draft, typed: false, change: draft?.change, revision: 0 }
  const { current } = opened
  if (current && draft && isElsewhere(draft) && !isSameChange(draft.change, current.change)) {
    Object.assign(current, { shown, change: draft.change, revision: current.revision + 1 })
  }
  useShowsDraft(draft && draftKey(place))

  const put = (change: PropertyChange, state: 'typing' | 'waiting', automatic = false) =>
    putChange({ slug, property, record: opened.current?.record ?? record, automatic }, change, state)
  const leave = () => {
    const typed = draftAt(place)
    // A long text is saved when its editor is left, as after a pause.
    if (typed?.state === 'typing') put(typed.change, 'waiting', isLongText(property))
  }
  const leaveOwn = () => {
    const typed = draftAt(place)
    if (typed && !isOpenElsewhere(typed)) leave()
  }
  const pause = usePause(leaveOwn, editing && isLongText(property))
  return {
    draft,
    shown,
    edited: opened.current?.shown ?? shown,
    begun: opened.current?.record ?? record,
    revision: opened.current?.revision ?? 0,
    problem,
    status: statusOf(draft, problem) ?? (opened.current?.typed ? 'Saved' : undefined),
    type(change) {
      // An editor that goes on with the text of another tab has typed nothing.
      if (isSameChange(change, opened.current?.change)) return
      if (opened.current) Object.assign(opened.current, { typed: true, change })
      put(change, 'typing')
      pause()
    },
    save: (change) => put(change, 'waiting'),
    leave,
    // The focus also moves when the editor opens. Nothing is saved then, and the first save must not wait for it.
    turnAway: () => draftAt(place)?.state === 'typing' && pause(true),
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

/**
 * Calls back after a pause in typing, and at once when the user turns to another tab or window or when the editor is
 * gone: a text that is left by a link is saved as well. After the first time the pauses are longer.
 */
function usePause(then: () => void, on: boolean): (isAway?: boolean) => void {
  const timer = useRef<number>(undefined)
  const last = useRef<number>(undefined)
  const latest = useRef(then)
  latest.current = then
  useEffect(() => {
    if (!on) return
    const now = () => {
      window.clearTimeout(timer.current)
      latest.current()
    }
    window.addEventListener('blur', now)
    return () => {
      window.removeEventListener('blur', now)
      last.current = undefined
      now()
    }
  }, [on])
  return (isAway = false) => {
    window.clearTimeout(timer.current)
    if (!on) return
    const save = () => {
      last.current = Date.now()
      latest.current()
    }
    timer.current = window.setTimeout(save, waitBeforeSave(Date.now(), isAway ? undefined : last.current))
  }
}

export function placeOf(slug: string, { key }: Pick<Property, 'key'>, { type, id }: ApiRecord): DraftPlace {
  return { slug, resource: type, id, property: key }
}

/** The drafts of a field, by the ids of their records. */
export function useDraftsOf(resource: ResourceName, field: Field): ReadonlyMap<string, Draft> {
  const slug = useSlug()
  const { key } = propertyOf(field)
  const own = useAllDrafts().filter(
    (draft) => draft.slug === slug && draft.resource === resource && draft.property === key,
  )
  return new Map(own.map((draft) => [draft.id, draft]))
}

/** A record as the user wants it to be. */
export function withDraft(record: ApiRecord, draft: Draft | undefined): ApiRecord {
  return draft && draft.state !== 'conflict' ? changedRecord(record, draft.change) : record
}

/** Keeps a change of a record as a draft. `waiting` sends it. */
export function putChange(
  changed: Pick<Draft, 'told'> & {
    slug: string
    property: Pick<Property, 'key' | 'label'>
    record: ApiRecord
    /** Whether it was done with one click or move, by a user who saw the stored value. */
    direct?: boolean
    /** Whether a text saves itself. */
    automatic?: boolean
  },
  change: PropertyChange,
  state: Draft['state'],
): void {
  const { slug, property, record, told, direct = false, automatic = false } = changed
  const place = placeOf(slug, property, record)
  const before = draftAt(place)
  const seen = before?.theirs ?? before?.seen ?? seenBy(place, change, record)
  if (before?.state === 'conflict' && !direct) {
    // It stays a conflict until the user has compared both.
    replaceDraft({ ...before, change })
  } else if (before?.sent || !isSame(change, seen)) {
    const about = { name: nameOf(record), label: property.label, ...(told && { told }) }
    putDraft({ ...place, ...about, change, seen, state, automatic, sent: before?.sent })
  } else if (before) removeDraft(place)
}

/** The version that the user saw. After a save of this tab it is the saved one, even if it is not read yet. */
function seenBy(place: DraftPlace, change: PropertyChange, record: ApiRecord): SeenVersion {
  const own = lastStored(place)
  return own && own.version > record.attributes.updated_at ? own : seenIn({ change }, record)
}

function isSameChange(one: PropertyChange, other: PropertyChange | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Whether a change changes nothing. Lists of links cannot be compared: the record does not show them. */
function isSame(change: PropertyChange, seen: SeenVersion): boolean {
  return change.relationships === undefined && sameValues(valuesAt(change.input, change.shown), seen.values)
}

/** Why a draft is not saved. Undefined while it is on its way. */
export function useDraftProblem(draft: Draft | undefined): string | undefined {
  const failure = useQueueFailure()
  if (!draft) return undefined
  if (draft.state === 'refused') return draft.problem
  if (draft.state === 'conflict') {
    return draft.theirs?.isOwn ? 'You have changed it in another tab.' : 'Someone else has changed it meanwhile.'
  }
  return isUnstored(draft) ? 'This browser has no room to keep it. Do not close this tab.' : failure
}

function statusOf(draft: Draft | undefined, problem: string | undefined): string | undefined {
  if (!draft) return undefined
  if (problem !== undefined) return `Not saved: ${problem}`
  return draft.state === 'typing' ? 'Saving soon…' : 'Saving…'
}

/** How long a long text rests before it saves itself. */
const PAUSE_MS = 1500

/** After that it does not save itself before this. Each save is an entry of the changes feed. */
const BETWEEN_MS = 12_000

/** How long to wait before a text saves itself, given when it did so last. */
export function waitBeforeSave(now: number, last: number | undefined): number {
  return last === undefined ? PAUSE_MS : Math.max(PAUSE_MS, last + BETWEEN_MS - now)
}
