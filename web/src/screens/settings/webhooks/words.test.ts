import { generalSchema } from '@kith/contract/registry'
import { describe, expect, it } from 'vitest'
import {
  attemptWords,
  chosenKinds,
  failedLast,
  lagWords,
  nextTryWords,
  typesInWords,
  withKinds,
} from './webhook-words.ts'

type Attributes = Parameters<typeof failedLast>[0]

describe('the types of a webhook', () => {
  it.each([
    [['*'], 'Everything'],
    [['companies.*'], 'All changes of companies'],
    [['people.*', 'companies.*', 'users.*'], 'All changes of companies, people and members'],
    [['companies.updated', 'companies.created'], 'Companies created or updated'],
    [['tasks.deleted', 'people.*'], 'All changes of people; tasks deleted'],
    [
      ['custom_fields.created', 'custom_fields.updated', 'custom_fields.deleted'],
      'Custom fields created, updated or deleted',
    ],
    [['users.merged'], 'Nothing'],
  ])('%j are "%s"', (types, words) => {
    expect(typesInWords(generalSchema, types)).toBe(words)
  })

  it('are as few as possible, and keep those of other resources', () => {
    expect(withKinds(['people.*', 'users.created'], 'users', ['created', 'updated'])).toEqual([
      'people.*',
      'users.created',
      'users.updated',
    ])
    expect(withKinds(['people.*'], 'users', ['created', 'updated', 'deleted'])).toEqual(['people.*', 'users.*'])
    expect(withKinds(['people.*'], 'people', [])).toEqual([])
    expect(chosenKinds(['*'], 'users')).toEqual(['created', 'updated', 'deleted'])
  })
})

describe('an attempt', () => {
  const outcome = (status: number | null, error: string | null, headers = {}) =>
    attemptWords({ status, error, response: status === null ? null : { headers, body: '' } })

  it('that succeeded needs no advice', () => {
    expect(outcome(204, null)).toEqual({ what: 'The receiver accepted it with 204.' })
  })

  it.each([401, 403, 404, 405, 410, 413, 429, 500, 503])('that got %d says so, with what to do', (status) => {
    const { what, advice } = outcome(status, 'status')
    expect(what).toBe(`The receiver returned ${status}.`)
    expect(advice).toMatch(/\.$/)
  })

  it('that was redirected says where to', () => {
    expect(outcome(301, 'redirect', { location: 'https://b.example/' }).what).toBe(
      'The receiver redirected to https://b.example/ with 301. Redirects are not followed.',
    )
    expect(outcome(302, 'redirect').what).toBe('The receiver redirected with 302. Redirects are not followed.')
  })

  it.each(['timeout', 'dns', 'blocked_address', 'tls', 'connection', 'invalid_response', 'secret'])(
    'without a response says what happened, and what to do: %s',
    (error) => {
      const { what, advice } = outcome(null, error)
      expect(what).not.toMatch(/^It failed/)
      expect(advice).toMatch(/\.$/)
    },
  )

  it('shows an error that it does not know', () => {
    expect(outcome(null, 'odd')).toEqual({ what: 'It failed: odd.' })
  })
})

describe('the lag', () => {
  const now = new Date('2026-11-17T12:00:00Z')
  const lag = (behind: number, blocked: number, oldest_at: string | null) =>
    // Nothing else of a webhook is looked at.
    lagWords({ position: { sequence: 7, behind, blocked, oldest_at } } as Attributes, now)

  it('counts changes, and says since when', () => {
    expect(lag(0, 0, null)).toBe('Up to date')
    expect(lag(1, 0, '2026-11-17T11:59:50Z')).toBe('1 change behind, the oldest from just now')
    expect(lag(1200, 0, '2026-11-17T09:00:00Z')).toMatch(/^1.200 changes behind, the oldest from 3 hours ago$/)
  })

  it('counts records that wait for another try', () => {
    expect(lag(0, 1, '2026-11-17T11:59:50Z')).toBe('1 record waits, the oldest from just now')
    expect(lag(3, 2, null)).toBe('3 changes behind, 2 records wait')
  })

  it('says when the next try is', () => {
    expect(nextTryWords('2026-11-17T11:59:00Z', now)).toBe('The next try is due now.')
    expect(nextTryWords('2026-11-17T12:00:30Z', now)).toBe('The next try is in less than a minute.')
    expect(nextTryWords('2026-11-17T12:05:30Z', now)).toBe('The next try is in 5 minutes.')
  })
})

it('the last attempt failed if nothing succeeded after it', () => {
  const at = (last_success_at: string | null, last_failure_at: string | null) =>
    // Nothing else of a webhook is looked at.
    failedLast({ last_success_at, last_failure_at } as Attributes)
  expect(at(null, null)).toBe(false)
  expect(at(null, '2026-11-17T12:00:00Z')).toBe(true)
  expect(at('2026-11-17T12:00:01Z', '2026-11-17T12:00:00Z')).toBe(false)
})
