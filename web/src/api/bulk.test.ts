import { KithError } from '@kith/sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BulkJob, newBulkRun } from './bulk.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Send = Parameters<typeof newBulkRun>[2]['send']

const idOf = (place: number) => `id ${place}`
const changeOf = (id: string) => `change of ${id}`
const unreachable = () => new KithError({ kind: 'unreachable', message: 'The service could not be reached.' })

/** A job over 230 records, and how it goes on. `answer` may throw; otherwise all records of a chunk are changed. */
function jobOf(answer: (request: number, chunk: Parameters<Send>[0]) => void = () => {}) {
  const records = Array.from({ length: 230 }, (_, place) => idOf(place))
  const keys: string[] = []
  const sizes: number[] = []
  const told: Partial<BulkJob> = {}
  const states: BulkJob['state'][] = []
  let cancelled = false
  const run = newBulkRun('acme', 'companies', {
    find: async () => records,
    async send(chunk, key) {
      keys.push(key)
      sizes.push(chunk.length)
      answer(keys.length, chunk)
      return chunk.map((id) => ({ id, outcome: 'changed' as const, change: changeOf(id) }))
    },
  })
  const start = () =>
    run.run({
      isCancelled: () => cancelled,
      change(part) {
        Object.assign(told, part)
        if (part.state !== undefined && part.state !== states.at(-1)) states.push(part.state)
      },
    })
  const cancel = () => {
    cancelled = true
  }
  return { run, start, cancel, keys, sizes, told, states, records }
}

describe('a change of many records', () => {
  it('is sent in chunks, each with a key of its own, and remembers the changes for its undo', async () => {
    const job = jobOf()
    await job.start()
    expect(job.sizes).toEqual([100, 100, 30])
    expect(new Set(job.keys).size).toBe(3)
    expect(job.told).toMatchObject({ state: 'done', total: 230, done: 230, changed: 230, skipped: 0, failed: 0 })
    expect(job.run.undo).toEqual(job.records.map(changeOf))
  })

  it('goes on after a request without an answer, with the same key', async () => {
    const job = jobOf((request) => {
      if (request === 1 || request === 3) throw unreachable()
    })
    const ended = job.start()
    await vi.advanceTimersByTimeAsync(5000)
    await ended
    expect(job.sizes).toEqual([100, 100, 100, 100, 30])
    expect([job.keys[1], job.keys[3]]).toEqual([job.keys[0], job.keys[2]])
    expect(new Set(job.keys).size).toBe(3)
    expect(job.states).toEqual(['waiting', 'running', 'waiting', 'running', 'done'])
    expect(job.run.undo).toHaveLength(230)
  })

  it('waits as long as the service says', async () => {
    const job = jobOf((request) => {
      if (request === 1) throw new KithError({ kind: 'rate_limited', message: 'Too many.', retry_after: 30 })
    })
    const ended = job.start()
    await vi.advanceTimersByTimeAsync(29_000)
    expect(job.keys).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(2000)
    await ended
    expect(job.told.state).toBe('done')
  })

  it('stops at a refusal, says why, and goes on from there when it is started again', async () => {
    const job = jobOf((request) => {
      if (request === 2) throw new KithError({ kind: 'forbidden', message: 'Your role does not allow this.' })
    })
    await job.start()
    expect(job.told).toMatchObject({ state: 'stopped', changed: 100, message: 'Your role does not allow this.' })
    await job.start()
    expect(job.keys[2]).toBe(job.keys[1])
    expect(job.told).toMatchObject({ state: 'done', changed: 230 })
  })

  it('is cancelled while the service is away, and keeps what is done', async () => {
    const job = jobOf((request) => {
      if (request > 1) throw unreachable()
    })
    const ended = job.start()
    await vi.advanceTimersByTimeAsync(0)
    expect(job.told.state).toBe('waiting')
    job.cancel()
    await vi.advanceTimersByTimeAsync(1000)
    await ended
    expect(job.told).toMatchObject({ state: 'cancelled', changed: 100 })
    expect(job.run.undo).toHaveLength(100)
  })

  it('counts records that were left out or refused, and says why the first one was', async () => {
    const results = [
      { id: 'one', outcome: 'skipped' as const },
      { id: 'two', outcome: 'same' as const },
      { id: 'three', outcome: 'failed' as const, message: 'Too long.' },
      { id: 'four', outcome: 'failed' as const, message: 'Too short.' },
    ]
    const told: Partial<BulkJob> = {}
    const run = newBulkRun('acme', 'companies', {
      find: async () => results.map((_, at) => idOf(at)),
      send: async () => results,
    })
    await run.run({ isCancelled: () => false, change: (part) => void Object.assign(told, part) })
    expect(told).toMatchObject({ state: 'done', done: 4, changed: 0, skipped: 1, failed: 2, message: 'Too long.' })
    expect(run.undo).toEqual([])
  })
})
