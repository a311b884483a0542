import { describe, expect, it } from 'vitest'
import type { Webhook } from '../../../api/webhooks.ts'
import { changesOf, draftOf, inputOf } from './webhook-draft.ts'

const webhook: Webhook = {
  id: '01j',
  type: 'webhooks',
  attributes: {
    url: 'https://a.example/',
    description: null,
    types: ['people.*', 'companies.created'],
    filter: { people: { name: { $contains: 'a' } } },
    changed: { people: ['name'] },
    payload: 'thin',
    exclude_own: true,
    max_in_flight: 2,
    state: 'active',
    reason: null,
    position: { sequence: 1, behind: 0, blocked: 0, oldest_at: null },
    last_success_at: null,
    last_failure_at: null,
    created_at: '2026-11-17T12:00:00Z',
    updated_at: '2026-11-17T12:00:00Z',
    creator_id: '01k',
  },
}

describe('the draft of a webhook', () => {
  it('is sent as it was read', () => {
    const { url, description, types, filter, changed, payload, exclude_own, max_in_flight } = webhook.attributes
    expect(inputOf(draftOf(webhook))).toEqual({
      ...{ url, description, types, filter, changed, payload, exclude_own, max_in_flight },
    })
    expect(changesOf(draftOf(webhook), draftOf(webhook))).toEqual({})
  })

  it('sends what differs only', () => {
    const begun = draftOf(webhook)
    expect(changesOf({ ...begun, url: ' https://b.example/ ', description: ' b ' }, begun)).toEqual({
      url: 'https://b.example/',
      description: 'b',
    })
    expect(changesOf({ ...begun, filter: {}, changed: {} }, begun)).toEqual({ filter: null, changed: null })
  })

  it('leaves out filters of what is not sent, and names of changes where updates are not sent', () => {
    const begun = draftOf(webhook)
    expect(inputOf({ ...begun, types: ['companies.created'] })).toMatchObject({ filter: null, changed: null })
    expect(inputOf({ ...begun, types: ['people.created'] })).toMatchObject({
      filter: webhook.attributes.filter,
      changed: null,
    })
    expect(inputOf({ ...begun, everything: true })).toMatchObject({
      types: ['*'],
      filter: webhook.attributes.filter,
      changed: webhook.attributes.changed,
    })
  })

  it('of a new one sends everything', () => {
    expect(inputOf(draftOf(undefined))).toMatchObject({ types: ['*'], payload: 'full', max_in_flight: 5 })
  })
})
