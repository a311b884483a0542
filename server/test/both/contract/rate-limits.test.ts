import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answered } from '../../api.ts'
import { type OwnService, ownService } from '../../own-service.ts'

/** The limits as they are unless configured. */
let own: OwnService

beforeAll(async () => {
  own = await ownService()
})

afterAll(() => own.stop())

function expectLeft(answer: Answered, limit: number, remaining: number): void {
  expect(answer.headers.get('x-ratelimit-limit')).toBe(String(limit))
  expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(remaining))
  // sync 10: seconds until the bucket shown is full again.
  const reset = answer.headers.get('x-ratelimit-reset') ?? ''
  expect(reset).toMatch(/^[0-9]+$/)
  expect(Number(reset)).toBeGreaterThanOrEqual(1)
  expect(Number(reset)).toBeLessThanOrEqual(60)
}

function expectRefused(answer: Answered, limit: number, named: RegExp): void {
  expect(answer.status).toBe(429)
  expectLeft(answer, limit, 0)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(Object.keys(answer.body)).toEqual(['message'])
  expect(answer.body.message).toMatch(named)
  expect(answer.body.message).toContain(String(limit))
  const wait = answer.headers.get('retry-after') ?? ''
  expect(wait).toMatch(/^[0-9]+$/)
  expect(Number(wait)).toBeGreaterThanOrEqual(1)
  expect(Number(wait)).toBeLessThanOrEqual(60)
}

/** Sends a request so many times, a few at once, and returns what each was told to be left, most first. */
async function spend(times: number, send: () => Promise<Answered>): Promise<number[]> {
  const left: number[] = []
  let sent = 0
  const one = async () => {
    while (sent < times) {
      sent++
      const answer = await send()
      expect(answer.status).toBeLessThan(400)
      left.push(Number(answer.headers.get('x-ratelimit-remaining')))
    }
  }
  await Promise.all(Array.from({ length: 8 }, one))
  return left.sort((a, b) => b - a)
}

function downFrom(count: number): number[] {
  return Array.from({ length: count }, (_, index) => count - 1 - index)
}

describe('8. Limits: every authenticated response carries X-RateLimit-Limit and X-RateLimit-Remaining', () => {
  it('a fresh token: 300/299 on a read, 60/59 on a write', async () => {
    const { api, token } = await own.workspace()
    expectLeft(await api.get('/companies'), 300, 299)
    expectLeft(await api.post('/companies', { name: 'Acme' }), 60, 59)
    expectLeft(await (await token()).post('/companies/query', {}), 300, 299)
    expectLeft(await (await token()).post('/companies/summary', { group_by: ['creator'] }), 300, 299)
  })

  it('also 200, 201, 204, 403, 404, 409, 413 and 422, and each spends one', async () => {
    const { api, token, field, updateField } = await own.workspace()
    const made = await api.post('/companies', { name: 'Acme' })
    expectLeft(made, 60, 59)
    expectLeft(await api.put(`/companies/${made.body.data.id}`, {}), 60, 58)
    expectLeft(await api.delete(`/companies/${made.body.data.id}`), 60, 57)
    expectLeft(await api.delete(`/companies/${made.body.data.id}`), 60, 56)
    expectLeft(await api.post('/companies', {}), 60, 55)
    expectLeft(await api.send('POST', '/companies', 'x'.repeat(1024 * 1024 + 1)), 60, 54)
    expectLeft(await api.get('/companies/nothing'), 300, 299)
    expectLeft(await api.get('/companies?page=0'), 300, 298)
    expectLeft(await api.post('/companies/query', []), 300, 297)
    expectLeft(await api.get('/custom-fields'), 300, 296)
    expectLeft(await api.get('/user'), 300, 295)
    await field('companies', { name: 'Key', type: 'text' })
    const writer = await token()
    for (const name of ['One', 'Two']) await writer.post('/companies', { name, custom_fields: { key: 'same' } })
    await updateField('companies', 'key', { unique: true })
    const ambiguous = await writer.post('/companies/upsert', { name: 'x', match: { field: 'key', value: 'same' } })
    expect(ambiguous.status).toBe(409)
    expectLeft(ambiguous, 60, 57)
    expectLeft(await (await token({ abilities: ['read'] })).post('/companies', {}), 60, 59)
  })

  it('a user who no longer belongs to the workspace gets them, too', async () => {
    const workspace = await own.workspace()
    const user = await workspace.member('member')
    const token = await workspace.token({ user })
    await workspace.remove(user)
    expectLeft(await token.get('/companies'), 300, 299)
  })

  it('an address at which there is nothing and a method that is not supported spend nothing', async () => {
    const { api } = await own.workspace()
    for (const answer of [await api.get('/Nothing'), await api.put('/companies', {})]) {
      expect(answer.headers.has('x-ratelimit-limit')).toBe(false)
      expect(answer.headers.has('x-ratelimit-remaining')).toBe(false)
    }
    expectLeft(await api.get('/companies'), 300, 299)
  })
})

describe('sync 10. Every authenticated response also carries X-RateLimit-Reset', () => {
  it('shows when the bucket shown is full again, on both limiters', async () => {
    const short = await ownService({ RATE_LIMIT_READS: '3' })
    const { api } = await short.workspace()
    const reset = async () => Number((await api.get('/user')).headers.get('x-ratelimit-reset'))
    expect(await reset()).toBe(60)
    await setTimeout(1100)
    expect(await reset()).toBeGreaterThanOrEqual(50)
    expect(await reset()).toBeLessThan(60)
    await short.stop()
  })
})

describe('8. Limits: when a limit is exceeded the response is 429 with Retry-After', () => {
  it('reads per token: 300 per minute; filter queries count as reads', async () => {
    const { api, token } = await own.workspace()
    let turn = 0
    const reads = [() => api.get('/user'), () => api.post('/companies/query', {}), () => api.get('/custom-fields')]
    const left = await spend(300, () => reads[turn++ % 3]?.() ?? api.get('/user'))
    expect(left).toEqual(downFrom(300))
    const named = /reads per token/
    expectRefused(await api.get('/companies'), 300, named)
    expectRefused(await api.post('/companies/query', {}), 300, named)
    expectRefused(await api.get('/companies/nothing'), 300, named)
    // What was refused spent nothing: neither the token's writes nor the other half of the workspace's requests.
    expectLeft(await api.post('/companies', { name: 'Acme' }), 60, 59)
    expectLeft(await (await token()).get('/user'), 600, 298)
  })

  it('writes per token: 60 per minute, a refused write stores nothing', async () => {
    const { api, token } = await own.workspace()
    expect(await spend(60, () => api.post('/companies', { name: 'Acme' }))).toEqual(downFrom(60))
    const [some] = (await api.get('/companies')).body.data
    const named = /writes per token/
    expectRefused(await api.post('/companies', { name: 'One more' }), 60, named)
    expectRefused(await api.put(`/companies/${some.id}`, { name: 'Changed' }), 60, named)
    expectRefused(await api.patch(`/companies/${some.id}`, { name: 'Changed' }), 60, named)
    expectRefused(await api.delete(`/companies/${some.id}`), 60, named)
    expectRefused(await api.post('/companies/upsert', {}), 60, named)
    const list = await api.get('/companies')
    expect(list.body.meta.total).toBe(60)
    expect(list.body.data).toContainEqual(some)
    expectLeft(await (await token()).post('/companies', { name: 'Another token' }), 60, 59)
  })

  it('requests per workspace: 600 per minute, across its tokens', async () => {
    const workspace = await own.workspace()
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => workspace.token()))
    if (!first || !second || !third) throw new Error('Three tokens were asked for.')
    await spend(300, () => first.get('/user'))
    await spend(299, () => second.get('/user'))
    expectLeft(await third.post('/companies', { name: 'The last' }), 600, 0)
    const named = /requests per workspace/
    expectRefused(await third.get('/user'), 600, named)
    expectRefused(await third.post('/companies', { name: 'Too many' }), 600, named)
    expectRefused(await workspace.api.get('/user'), 600, named)
    expect((await (await own.workspace()).api.get('/user')).status).toBe(200)
  })
})

describe('7. Rate limits: limits can be set or switched off by configuration', () => {
  it('RATE_LIMIT_WORKSPACE, RATE_LIMIT_READS and RATE_LIMIT_WRITES', async () => {
    const narrow = await ownService({ RATE_LIMIT_WORKSPACE: '4', RATE_LIMIT_READS: '2', RATE_LIMIT_WRITES: '3' })
    const { api, token } = await narrow.workspace()
    expectLeft(await api.get('/user'), 2, 1)
    expectLeft(await api.get('/user'), 2, 0)
    expectRefused(await api.get('/user'), 2, /reads per token/)
    expectLeft(await api.post('/companies', { name: 'One' }), 4, 1)
    const other = await token()
    expectLeft(await other.post('/companies', { name: 'Two' }), 4, 0)
    expectRefused(await other.post('/companies', { name: 'Three' }), 4, /requests per workspace/)
    await narrow.stop()
  })

  it('0 = off', async () => {
    const open = await ownService({ RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '1' })
    const { api } = await open.workspace()
    const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await api.get('/user')).status))
    expect(new Set(statuses)).toEqual(new Set([200]))
    const { headers } = await api.get('/user')
    for (const name of ['limit', 'remaining', 'reset']) expect(headers.has(`x-ratelimit-${name}`)).toBe(false)
    expectLeft(await api.post('/companies', { name: 'One' }), 1, 0)
    expectRefused(await api.post('/companies', { name: 'Two' }), 1, /writes per token/)
    await open.stop()
  })
})
