import { describe, expect, test } from 'vitest'
import { accessOf, type SubscriptionFacts } from './subscription.ts'

const now = new Date('2026-11-14T09:30:00.000Z')
const ended: SubscriptionFacts = {
  trial_ends_at: '2026-11-14T09:30:00.000Z',
  subscription_status: null,
  complimentary: 0,
  paused_at: null,
}

describe('a hosted installation', () => {
  test.each<[string, Partial<SubscriptionFacts>, 'open' | 'paused']>([
    ['the trial is running', { trial_ends_at: '2026-11-14T09:30:00.001Z' }, 'open'],
    ['the trial has ended', {}, 'paused'],
    ['the subscription is active', { subscription_status: 'active' }, 'open'],
    ['the subscription is past due', { subscription_status: 'past_due' }, 'open'],
    ['the subscription is on trial', { subscription_status: 'trialing' }, 'open'],
    ['the subscription was canceled', { subscription_status: 'canceled' }, 'paused'],
    ['the subscription is unpaid', { subscription_status: 'unpaid' }, 'paused'],
    ['the first payment is missing', { subscription_status: 'incomplete' }, 'paused'],
    ['it is complimentary', { complimentary: 1 }, 'open'],
    ['the operator paused it', { subscription_status: 'active', paused_at: '2026-11-01T00:00:00.000Z' }, 'paused'],
    ['the operator paused a complimentary one', { complimentary: 1, paused_at: '2026-11-01T00:00:00.000Z' }, 'paused'],
  ])('%s', (_, facts, access) => {
    expect(accessOf({ ...ended, ...facts }, now, true)).toBe(access)
  })
})

test('a self-hosted installation is always open', () => {
  expect(accessOf({ ...ended, paused_at: '2026-11-01T00:00:00.000Z' }, now, false)).toBe('open')
})
