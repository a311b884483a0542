import { IN_FLIGHT_DEFAULT } from '@kith/contract/limits'
import type { ResourceName } from '@kith/contract/resource'
import type { Webhook, WebhookInput } from '../../../api/webhooks.ts'
import type { FilterObject } from '../../records/list-state.ts'
import { ALL_EVENTS, chosenKinds } from './webhook-words.ts'

type ResourceMap<Value> = Readonly<Partial<Record<ResourceName, Value>>>

/** The values of the form, valid or not. */
export type WebhookDraft = {
  url: string
  description: string
  everything: boolean
  /** Used unless everything is sent. */
  types: readonly string[]
  filter: ResourceMap<FilterObject>
  changed: ResourceMap<readonly string[]>
  payload: WebhookInput['payload']
  exclude_own: boolean
  max_in_flight: string
  /** Where a new webhook begins. */
  from: 'now' | 'cursor'
  cursor: string
}

/** The draft of a webhook, or of a new one. */
export function draftOf(webhook: Webhook | undefined): WebhookDraft {
  const begin = { from: 'now', cursor: '' } as const
  if (!webhook) {
    const empty = { url: '', description: '', everything: true, types: [], filter: {}, changed: {} }
    return { ...empty, payload: 'full', exclude_own: false, max_in_flight: String(IN_FLIGHT_DEFAULT), ...begin }
  }
  const { url, description, types, filter, changed, payload, exclude_own, max_in_flight } = webhook.attributes
  const everything = types.includes(ALL_EVENTS)
  return {
    url,
    description: description ?? '',
    everything,
    types: everything ? [] : types,
    filter: copied(filter),
    changed: changed ?? {},
    payload,
    exclude_own,
    max_in_flight: String(max_in_flight),
    ...begin,
  }
}

function copied(filter: WebhookInput['filter']): ResourceMap<FilterObject> {
  return Object.fromEntries(Object.entries(filter ?? {}).map(([name, conditions]) => [name, { ...conditions }]))
}

/** The input that is sent. Filters of resources that are not chosen stay in the draft only. */
export function inputOf(draft: WebhookDraft): WebhookInput {
  const { url, description, payload, exclude_own, max_in_flight } = draft
  const types = typesOf(draft)
  return {
    url: url.trim(),
    description: description.trim() === '' ? null : description.trim(),
    types,
    filter: unlessEmpty(ofResources(draft.filter, (name) => chosenKinds(types, name).length > 0)),
    changed: unlessEmpty(ofResources(draft.changed, (name) => chosenKinds(types, name).includes('updated'))),
    payload,
    exclude_own,
    max_in_flight: Number(max_in_flight),
  }
}

export function typesOf({ everything, types }: WebhookDraft): readonly string[] {
  return everything ? [ALL_EVENTS] : types
}

/** The settings that differ from the webhook that the draft began with. */
export function changesOf(draft: WebhookDraft, begun: WebhookDraft): Partial<WebhookInput> {
  const before = Object.entries(inputOf(begun))
  const after = Object.entries(inputOf(draft))
  return Object.fromEntries(
    after.filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(Object.fromEntries(before)[key])),
  )
}

function ofResources<Value>(all: ResourceMap<Value>, isWanted: (name: ResourceName) => boolean): Record<string, Value> {
  const wanted = Object.entries(all).filter(([name]) => isWanted(name))
  return Object.fromEntries(wanted.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

function unlessEmpty<All extends object>(all: All): All | null {
  return Object.keys(all).length === 0 ? null : all
}
