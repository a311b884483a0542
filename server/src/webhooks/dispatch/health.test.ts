import { describe, expect, it } from 'vitest'
import { afterFailure, afterSuccess, afterTime, type Health, retryDelay } from './health.ts'

const START = Date.parse('2026-11-17T12:00:00.000Z')
const after = (ms: number) => new Date(START + ms).toISOString()
const HOUR = 3_600_000
const fine: Health = {
  state: 'active',
  reason: null,
  failures: 0,
  failed_since: null,
  noticed: 0,
  notice: null,
  last_success_at: null,
  last_failure_at: null,
  last_failure_id: null,
}

function failed(times: number, every = 1000): Health {
  let health = fine
  for (let time = 0; time < times; time++) {
    health = afterFailure(health, { at: after(time * every), gone: false, blocked: 1 })
  }
  return health
}

describe('an endpoint', () => {
  it('is failing after 20 failures in a row, and active with the first success', () => {
    expect(failed(19)).toMatchObject({ state: 'active', failures: 19, failed_since: after(0) })
    expect(failed(20)).toMatchObject({ state: 'failing', failures: 20, last_failure_at: after(19_000) })
    expect(afterSuccess(failed(20), after(30_000))).toEqual({
      ...fine,
      last_failure_at: after(19_000),
      last_success_at: after(30_000),
    })
  })

  it('is failing with 1,000 blocked records', () => {
    expect(afterFailure(fine, { at: after(0), gone: false, blocked: 999 }).state).toBe('active')
    expect(afterFailure(fine, { at: after(0), gone: false, blocked: 1000 }).state).toBe('failing')
  })

  it('is disabled at once by 410', () => {
    expect(afterFailure(fine, { at: after(0), gone: true, blocked: 0 })).toMatchObject({
      state: 'disabled',
      reason: 'gone',
      notice: 'disabled',
    })
  })

  it('is disabled by five days of only failures, and its creator gets a mail after an hour', () => {
    const day = 24 * HOUR
    expect(failed(6, day - 1).state).toBe('active')
    expect(failed(6, day)).toMatchObject({ state: 'disabled', reason: 'failing', notice: 'disabled' })
    expect(afterTime(failed(1), new Date(START + HOUR - 1)).notice).toBeNull()
    const noticed = afterTime(failed(1), new Date(START + HOUR))
    expect(noticed).toMatchObject({ noticed: 1, notice: 'failing' })
    expect(afterTime({ ...noticed, notice: null }, new Date(START + 2 * HOUR)).notice).toBeNull()
    expect(afterTime(fine, new Date(START + day)).notice).toBeNull()
  })
})

describe('an event is tried again', () => {
  const retries = [5, 300, 1800]
  const asked = { retries, failing: false, asked_ms: undefined }

  it('after the delays of the schedule, each ± 20 %, and is then given up', () => {
    for (const [index, seconds] of retries.entries()) {
      const delays = Array.from({ length: 200 }, () => retryDelay({ ...asked, made: index + 1 }) ?? 0)
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(seconds * 800)
      expect(Math.max(...delays)).toBeLessThanOrEqual(seconds * 1200)
      expect(new Set(delays).size).toBeGreaterThan(100)
    }
    expect(retryDelay({ ...asked, made: 4 })).toBeUndefined()
  })

  it('daily while the endpoint is failing: nothing is given up', () => {
    const delay = retryDelay({ ...asked, made: 4, failing: true }) ?? 0
    expect(Math.abs(delay - 24 * HOUR)).toBeLessThanOrEqual(0.2 * 24 * HOUR)
  })

  it('when the receiver asks for it, up to an hour', () => {
    expect(retryDelay({ ...asked, made: 1, asked_ms: 90_000 })).toBe(90_000)
    expect(retryDelay({ ...asked, made: 1, asked_ms: 0 })).toBe(1000)
    expect(retryDelay({ ...asked, made: 1, asked_ms: 7_200_000 })).toBe(HOUR)
    expect(retryDelay({ ...asked, made: 4, asked_ms: 1000 })).toBeUndefined()
  })
})
