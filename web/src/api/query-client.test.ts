import { KithError } from '@kith/sdk'
import { describe, expect, it } from 'vitest'
import { queryClient } from './query-client.ts'

const { retry, retryDelay } = queryClient.getDefaultOptions().queries ?? {}
const isRepeated = (error: Error, failures = 0) => typeof retry === 'function' && retry(failures, error)
const delay = (error: Error) => typeof retryDelay === 'function' && retryDelay(0, error)
const limited = (retry_after: number) => new KithError({ kind: 'rate_limited', message: 'Too many.', retry_after })

describe('a read that failed', () => {
  it('is repeated after a 429 when the service said, twice at most', () => {
    expect(isRepeated(limited(42))).toBe(true)
    expect(delay(limited(42))).toBe(42_000)
    expect(isRepeated(limited(42), 2)).toBe(false)
    expect(isRepeated(limited(600))).toBe(false)
  })

  it('is repeated when the service was away or overloaded, and for no other reason', () => {
    expect(isRepeated(new KithError({ kind: 'busy', message: 'Retry shortly.' }))).toBe(true)
    expect(delay(new KithError({ kind: 'unreachable', message: 'Away.' }))).toBe(400)
    expect(isRepeated(new KithError({ kind: 'too_slow', message: 'Too slow.', expensive: ['total'] }))).toBe(false)
    expect(isRepeated(new KithError({ kind: 'forbidden', message: 'No.' }))).toBe(false)
  })
})
