import { describe, expect, it } from 'vitest'
import { type BucketState, limitWith, type RateLimits, type Spender, spendInMemory } from './rate-limit.ts'

const limits: RateLimits = { workspace: 6, reads: 3, writes: 2, items: 0 }

/** A limiter with a clock that is set by hand, in seconds. */
function limiterWith(given: Partial<RateLimits> = {}) {
  let seconds = 1_000_000
  const limiter = limitWith(
    spendInMemory(() => seconds * 1000),
    { ...limits, ...given },
  )
  return {
    pass(by: number) {
      seconds += by
    },
    read: (token = 't', workspace = 'w') =>
      spendOnce(limiter, { workspace_id: workspace, token_id: token, kind: 'read' }),
    write: (token = 't', workspace = 'w') =>
      spendOnce(limiter, { workspace_id: workspace, token_id: token, kind: 'write' }),
  }
}

function spendOnce(limiter: ReturnType<typeof limitWith>, spender: Spender): BucketState {
  const spent = limiter(spender)
  if (spent instanceof Promise) throw new Error('Limits in memory answer at once.')
  return spent
}

/** By default, in a window that begins with this request. */
function left(limit: number, remaining: number, reset = 60): BucketState {
  return { limit, remaining, reset }
}

function refused(limit: number, bucket: string, retry_after: number): BucketState {
  return { limit, remaining: 0, reset: retry_after, refused: { bucket, retry_after } }
}

describe('7. Rate limits: buckets per workspace, token reads, token writes', () => {
  it('the headers show the bucket with fewer requests left', () => {
    const { read, write } = limiterWith()
    expect(read()).toEqual(left(3, 2))
    expect(write()).toEqual(left(2, 1))
    expect(read('other')).toEqual(left(3, 2))
    expect(read('third')).toEqual(left(3, 2))
    expect(read('fourth')).toEqual(left(6, 1))
  })

  it('reads and writes of a token are counted apart', () => {
    const { read, write } = limiterWith({ workspace: 100 })
    for (const remaining of [2, 1, 0]) expect(read()).toEqual(left(3, remaining))
    expect(read()).toEqual(refused(3, 'reads per token', 60))
    for (const remaining of [1, 0]) expect(write()).toEqual(left(2, remaining))
    expect(write()).toEqual(refused(2, 'writes per token', 60))
  })

  it('all tokens of a workspace share its bucket, and another workspace has its own', () => {
    const { read } = limiterWith()
    for (const token of ['a', 'b', 'c', 'd', 'e', 'f']) expect(read(token)?.refused).toBeUndefined()
    expect(read('g')).toEqual(refused(6, 'requests per workspace', 60))
    expect(read('h', 'elsewhere')).toEqual(left(3, 2))
  })

  it('a refused request spends nothing of either bucket', () => {
    const { read, write } = limiterWith({ workspace: 5 })
    for (let i = 0; i < 10; i++) read()
    expect(write()).toEqual(left(2, 1))
    expect(read('other')).toEqual(left(5, 0))
    for (let i = 0; i < 10; i++) expect(write('other')).toEqual(refused(5, 'requests per workspace', 60))
  })

  it('0 switches a limit off', () => {
    const all = limiterWith({ workspace: 0, reads: 0, writes: 0 })
    for (let i = 0; i < 100; i++) expect(all.read()).toBeUndefined()
    const some = limiterWith({ workspace: 0, reads: 0 })
    expect(some.read()).toBeUndefined()
    expect(some.write()).toEqual(left(2, 1))
    const whole = limiterWith({ reads: 0, writes: 0 })
    expect(whole.read()).toEqual(left(6, 5))
  })
})

describe('7. Rate limits: fixed windows of 60 s from the first request of the bucket', () => {
  it('a window ends 60 s after its first request, whatever came later', () => {
    const { read, pass } = limiterWith()
    read()
    pass(59)
    expect(read()).toEqual(left(3, 1, 1))
    expect(read()).toEqual(left(3, 0, 1))
    expect(read()).toEqual(refused(3, 'reads per token', 1))
    pass(1)
    expect(read()).toEqual(left(3, 2))
    pass(59)
    expect(read()).toEqual(left(3, 1, 1))
  })

  it('Retry-After is the whole seconds until the window ends, and at least 1', () => {
    const { read, pass } = limiterWith()
    for (let i = 0; i < 3; i++) read()
    expect(read()?.refused?.retry_after).toBe(60)
    pass(12.3)
    expect(read()?.refused?.retry_after).toBe(48)
    pass(47.6)
    expect(read()?.refused?.retry_after).toBe(1)
    pass(0.1)
    expect(read()?.refused).toBeUndefined()
  })

  it('the reset of a new window is never longer than the window', () => {
    // A time to which 60,000 ms cannot be added exactly.
    const limiter = limitWith(
      spendInMemory(() => 1011234.9862292059),
      limits,
    )
    expect(spendOnce(limiter, { workspace_id: 'w', token_id: 't', kind: 'read' })).toEqual(left(3, 2))
  })

  it('the reset is the whole seconds until the bucket shown is full again', () => {
    const { read, write, pass } = limiterWith({ workspace: 3 })
    read()
    pass(12.3)
    expect(read()).toEqual(left(3, 1, 48))
    // The bucket of the writes is new and has fewer left than that of the workspace, until the workspace has fewer.
    expect(write()).toEqual(left(3, 0, 48))
    pass(47.7)
    expect(write()).toEqual(left(2, 0, 13))
  })

  it('a refused request starts no window', () => {
    const { read, write, pass } = limiterWith()
    write('other')
    pass(30)
    for (let i = 0; i < 3; i++) read()
    pass(30)
    // The workspace's window has ended, the token's has not.
    expect(read()).toEqual(refused(3, 'reads per token', 30))
    pass(30)
    for (const token of ['a', 'b', 'c', 'd', 'e', 'f']) read(token)
    expect(read('g')).toEqual(refused(6, 'requests per workspace', 60))
  })

  it('when both buckets are empty, the one that is so for longer is reported', () => {
    const { read, write, pass } = limiterWith()
    read('early')
    pass(30)
    for (let i = 0; i < 2; i++) write()
    pass(30)
    expect(write()).toEqual(refused(2, 'writes per token', 30))
    for (const token of ['a', 'b', 'c', 'd', 'e', 'f']) read(token)
    expect(write()).toEqual(refused(6, 'requests per workspace', 60))
  })

  it('windows that have ended do not stay in memory for ever, and those that run are kept', () => {
    const { read, pass } = limiterWith({ workspace: 0 })
    for (let i = 0; i < 10_001; i++) read(`t${i}`)
    pass(30)
    read('late')
    pass(31)
    read('sweeper')
    expect(read('late')).toEqual(left(3, 1, 29))
    expect(read('t0')).toEqual(left(3, 2))
  })
})
