import type { ResourceName } from '@kith/contract/resource'
import type { ErrorsByPath } from '@kith/sdk'
import { useEffect, useRef, useState } from 'react'
import { changedRecord, type PropertyChange, type RecordInput } from '../api/patch-record.ts'
import { type ApiRecord, type IncludedObject, nameOf } from '../api/records.ts'
import { useResource } from '../api/schema.ts'
import type { PlanChange } from '../api/task-plans.ts'
import { useSlug } from '../api/workspace.ts'
import { type IncludedRecords, includedIn } from '../properties/related.ts'
import { appearanceOf } from '../resources.ts'
import { type Draft, NEW } from './draft-store.ts'
import { discardDraft, draftAt, draftKey, putDraft, removeDraft, useDraftAt, useShowsDraft } from './drafts.ts'
import { useQueueFailure } from './queue.ts'

export type RecordDraft = {
  /** The record as it would be read if it were there already. */
  record: ApiRecord
  included: IncludedRecords
  /** The problems that the service found, by path. */
  errors: ErrorsByPath
  /** Why it could not be made, where that is about no single field. */
  message: string | undefined
  /** It is on its way to the service, and cannot be changed. */
  busy: boolean
  change(change: PropertyChange): void
  /** How a new task repeats, and when its author is reminded. */
  plan: PlanChange
  changePlan(plan: PlanChange): void
  /** All that was entered, and the way back to it. */
  made: PropertyChange
  reset(made: PropertyChange): void
  create(change?: PropertyChange): void
  /** Gives it up, with a way back. */
  discard(): void
}

/** Values that are being put together for a record. */
export function useDraftValues(resource: ResourceName) {
  const [made, setMade] = useState<PropertyChange>(nothing)
  const change = (next: PropertyChange) => setMade(bothChanges(made, next))
  return { ...valuesOf(resource, made), change }
}

/** Whether a new record was left unfinished. */
export function useHasDraft(resource: ResourceName): boolean {
  return useDraftAt(newPlace(useSlug(), resource)) !== undefined
}

/** A record that is being put together and does not exist yet. It is kept until it is created or discarded. */
export function useDraft(resource: ResourceName, onCreated: () => void): RecordDraft {
  const definition = useResource(resource)
  const place = newPlace(useSlug(), resource)
  const draft = useDraftAt(place)
  const failure = useQueueFailure()
  useShowsDraft(draft && draftKey(place))
  const made = draft?.change ?? nothing
  const put = (change: PropertyChange, state: 'typing' | 'waiting', plan = draftAt(place)?.plan) => {
    // An attempt without an answer may have created it: only the same attempt again is safe.
    if (draftAt(place)?.state === 'waiting') return
    const label = `New ${appearanceOf(definition).one}`
    const input = { [definition.label]: '', ...change.input }
    const name = nameOf({ attributes: change.shown })
    const told = { message: `Created ${name}` }
    putDraft({ ...place, label, name, change: { ...change, input }, told, ...(plan && { plan }), state })
  }
  const wasWaiting = useRef(false)
  useEffect(() => {
    if (!draft && wasWaiting.current) onCreated()
    wasWaiting.current = draft?.state === 'waiting'
  })
  const isWaiting = draft?.state === 'waiting'
  return {
    ...valuesOf(resource, made),
    made,
    errors: draft?.errors ?? {},
    message: isWaiting ? failure && `Not saved: ${failure} It is tried again.` : draft?.problem,
    busy: isWaiting,
    change: (change) => put(bothChanges(draftAt(place)?.change ?? nothing, change), 'typing'),
    plan: draft?.plan ?? {},
    changePlan: (plan) => put(made, 'typing', { ...draftAt(place)?.plan, ...plan }),
    reset: (before) => (before === nothing ? removeDraft(place) : put(before, 'typing')),
    create: (change = nothing) => put(bothChanges(draftAt(place)?.change ?? nothing, change), 'waiting'),
    discard: () => draft && discardDraft(draft),
  }
}

/** The change of nothing. */
export const nothing: PropertyChange = { input: {}, shown: {} }

function newPlace(slug: string, resource: ResourceName) {
  return { slug, resource, id: NEW, property: NEW }
}

function valuesOf(resource: ResourceName, change: PropertyChange) {
  const record = changedRecord(emptyRecord(resource), change)
  return { record, input: change.input, included: includedIn(change) }
}

/** The second change on top of the first. */
export function bothChanges(one: PropertyChange, other: PropertyChange): PropertyChange {
  const included: IncludedObject[] = [...(other.included ?? []), ...(one.included ?? [])]
  return {
    input: mergedInput(one.input, other.input),
    shown: mergedInput(one.shown, other.shown),
    relationships: { ...one.relationships, ...other.relationships },
    included,
  }
}

function emptyRecord(type: ResourceName): ApiRecord {
  const now = new Date().toISOString()
  const attributes = { creation_source: 'web', created_at: now, updated_at: now, custom_fields: {} }
  return { id: 'draft', type, attributes, relationships: {} }
}

function mergedInput(before: RecordInput, { custom_fields, ...attributes }: RecordInput): RecordInput {
  return { ...before, ...attributes, custom_fields: { ...before.custom_fields, ...custom_fields } }
}

/** The name of a new record, typed into a line. It stays until the record is stored or the user gives it up. */
export function useNamedDraft(options: {
  resource: ResourceName
  /** Where it is typed. Each line of a page has its own. */
  at: string
  /** The new record in words, such as "New task". */
  label: string
  /** The page where it is typed. */
  page: string
  /** The values of the record besides its name. */
  values: RecordInput
  /** Whether its creation is told, with a way back. */
  told?: boolean
  /** Whether the line is on the screen. */
  shown?: boolean
  onCreated?(): void
}) {
  const { resource, at, label, page, values, told, shown = true, onCreated } = options
  const slug = useSlug()
  const place = { slug, resource, id: NEW, property: at }
  const draft = useDraftAt(place)
  const failure = useQueueFailure()
  useShowsDraft(draft && shown ? draftKey(place) : undefined)
  const { label: name } = useResource(resource)
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
