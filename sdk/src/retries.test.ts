import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { localService, type Scripted } from '../test/local-service.ts'
import { type Client, createClient } from './client.ts'

const document = { data: { id: '1', type: 'companies', attributes: { name: 'Acme' } } }
const ok: Scripted = { status: 200, body: document }
const now = { 'Retry-After': '0' }
const limited: Scripted = { status: 429, headers: now, body: { message: 'Too many requests.' } }
const busy: Scripted = { status: 503, headers: now, body: { message: 'Retry shortly.' } }

const calls: Readonly<Record<string, (kith: Client) => Promise<unknown>>> = {
  list: (kith) => kith.companies.list(),
  query: (kith) => kith.companies.query(),
  read: (kith) => kith.companies.read('1'),
  create: (kith) => kith.companies.create({ name: 'Acme' }),
  update: (kith) => kith.companies.update('1', { name: 'Acme' }),
  upsert: (kith) => kith.companies.upsert({ match: { field: 'domains', value: 'acme.com' }, name: 'Acme' }),
  delete: (kith) => kith.companies.delete('1'),
  'custom fields': (kith) => kith.customFields.list(),
  users: (kith) => kith.users.list(),
  user: (kith) => kith.user(),
  token: (kith) => kith.token(),
}

describe('a call that has to be retried later', () => {
  it.each(Object.entries(calls))('is repeated on 429 and 503: %s', async (_name, call) => {
    const { url, received } = await localService(limited, busy, ok)
    await call(createClient({ url, token: 't' }))
    expect(received).toHaveLength(3)
    expect(new Set(received.map(({ method, path, body }) => `${method} ${path} ${body}`)).size).toBe(1)
  })

  it('is repeated three times at most', async () => {
    const { url, received } = await localService(limited)
    await expect(createClient({ url, token: 't' }).user()).rejects.toMatchObject({ kind: 'rate_limited' })
    expect(received).toHaveLength(4)
  })

  it('is repeated as often as the client is configured', async () => {
    const { url, received } = await localService(busy)
    await expect(createClient({ url, token: 't', retries: 1 }).user()).rejects.toMatchObject({ kind: 'busy' })
    expect(received).toHaveLength(2)
  })

  it('is not repeated for another failure', async () => {
    const { url, received } = await localService({ status: 500, headers: now, body: { message: 'Server Error' } }, ok)
    await expect(createClient({ url, token: 't' }).user()).rejects.toMatchObject({ kind: 'server_error' })
    expect(received).toHaveLength(1)
  })

  it('is not repeated when the query itself took too long, which it would again', async () => {
    const body = { message: 'The query took longer than 10 s and was stopped.', expensive: ['total'] }
    const { url, received } = await localService({ status: 503, body }, ok)
    await expect(createClient({ url, token: 't' }).companies.query()).rejects.toMatchObject({
      kind: 'too_slow',
      expensive: ['total'],
    })
    expect(received).toHaveLength(1)
  })

  it('is not repeated when it would have to wait longer than the client is configured', async () => {
    const { url, received } = await localService({ status: 429, headers: { 'Retry-After': '3' } }, ok)
    const kith = createClient({ url, token: 't', longest_wait: 2 })
    await expect(kith.user()).rejects.toMatchObject({ kind: 'rate_limited', retry_after: 3 })
    expect(received).toHaveLength(1)
  })

  it('is not repeated when it would have to wait for more than two minutes', async () => {
    const { url, received } = await localService({ status: 503, headers: { 'Retry-After': '121' } }, ok)
    await expect(createClient({ url, token: 't' }).user()).rejects.toMatchObject({ kind: 'busy', retry_after: 121 })
    expect(received).toHaveLength(1)
  })
})

describe('a call whose answer was lost', () => {
  it('is repeated', async () => {
    const { url, received } = await localService('hang up', ok)
    await expect(createClient({ url, token: 't' }).companies.read('1')).resolves.toEqual(document)
    expect(received).toHaveLength(2)
  })

  it('is repeated with its key when it creates: the service does it once', async () => {
    const { url, received } = await localService('hang up', busy, ok)
    await createClient({ url, token: 't' }).companies.create({ name: 'Acme' })
    const keys = received.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f]{32}$/)))
    expect(new Set(keys).size).toBe(1)
  })

  it('is not repeated when it creates without a key: it may have worked', async () => {
    const { url, received } = await localService('hang up', ok)
    const failed = createClient({ url, token: 't' }).companies.create({ name: 'Acme' }, { idempotencyKey: false })
    await expect(failed).rejects.toMatchObject({ kind: 'unreachable' })
    expect(received).toHaveLength(1)
  })
})

describe('waiting', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** A client whose requests are answered by these, one after the other, without a socket. */
  function answeredBy(...answers: (Response | Error)[]) {
    const fetch = vi.fn(async () => {
      const answer = answers.shift()
      if (answer instanceof Response) return answer
      throw answer ?? new TypeError('fetch failed')
    })
    return { kith: createClient({ url: 'http://kith.test/api', token: 't', fetch }), fetch }
  }
  const busyFor = (headers: HeadersInit) => new Response('{"message": "Retry shortly."}', { status: 503, headers })

  it('lasts as many seconds as Retry-After says', async () => {
    const { kith, fetch } = answeredBy(busyFor({ 'Retry-After': '30' }), Response.json(document))
    const read = kith.companies.read('1')
    await vi.advanceTimersByTimeAsync(29_999)
    expect(fetch).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1)
    await expect(read).resolves.toEqual(document)
  })

  it('lasts until the date that Retry-After names', async () => {
    const date = new Date(Math.ceil(Date.now() / 1000) * 1000 + 10_000).toUTCString()
    const { kith, fetch } = answeredBy(busyFor({ 'Retry-After': date }), Response.json(document))
    const read = kith.companies.read('1')
    await vi.advanceTimersByTimeAsync(9_000)
    expect(fetch).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(2_000)
    await expect(read).resolves.toEqual(document)
  })

  it('lasts longer each time if the service does not say how long', async () => {
    const { kith, fetch } = answeredBy(busyFor({}), new TypeError('fetch failed'), busyFor({}), Response.json(document))
    const read = kith.companies.read('1')
    for (const [tries, most] of [
      [2, 500],
      [3, 1000],
      [4, 2000],
    ] as const) {
      await vi.advanceTimersByTimeAsync(most / 2 - 1)
      expect(fetch).toHaveBeenCalledTimes(tries - 1)
      await vi.advanceTimersToNextTimerAsync()
      expect(fetch).toHaveBeenCalledTimes(tries)
    }
    await expect(read).resolves.toEqual(document)
  })

  it.each(Object.entries(calls))('comes before another attempt when no answer came: %s', async (_name, call) => {
    const { kith, fetch } = answeredBy(new TypeError('fetch failed'), Response.json(document))
    const called = call(kith)
    await vi.runAllTimersAsync()
    await called
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  it.each(Object.entries(calls))('comes before another attempt when a proxy got no answer: %s', async (_name, call) => {
    const failed = (status: number) => new Response('<h1>Gateway</h1>', { status, headers: { 'Retry-After': '1' } })
    const { kith, fetch } = answeredBy(failed(502), failed(504), Response.json(document))
    const called = call(kith)
    await vi.runAllTimersAsync()
    await called
    expect(fetch).toHaveBeenCalledTimes(3)
  })

  it.each([502, 504])('is not for a create without a key after %i: it may have worked', async (status) => {
    const { kith, fetch } = answeredBy(new Response('', { status, headers: { 'Retry-After': '1' } }))
    const created = kith.companies.create({ name: 'Acme' }, { idempotencyKey: false })
    await expect(created).rejects.toMatchObject({ kind: 'server_error', status })
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it('is not for a create without a key that a proxy could not pass on', async () => {
    const { kith, fetch } = answeredBy(busyFor({}), Response.json(document))
    const created = kith.companies.create({ name: 'Acme' }, { idempotencyKey: false })
    await expect(created).rejects.toMatchObject({ kind: 'busy' })
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  it('lets a delete succeed when the lost attempt had already done it', async () => {
    const gone = () => Response.json({ message: 'No company with the ID 1 exists.' }, { status: 404 })
    for (const lost of [new TypeError('fetch failed'), busyFor({}), new Response('', { status: 502 })]) {
      const { kith } = answeredBy(lost, gone(), gone())
      const deleted = kith.companies.delete('1')
      await vi.runAllTimersAsync()
      await expect(deleted).resolves.toBeUndefined()
      await expect(kith.companies.delete('1')).rejects.toMatchObject({ kind: 'not_found' })
    }
  })

  it('does not let a delete succeed when nothing had been done', async () => {
    const gone = Response.json({ message: 'No company with the ID 1 exists.' }, { status: 404 })
    const { kith } = answeredBy(busyFor({ 'Retry-After': '0' }), gone)
    const deleted = expect(kith.companies.delete('1')).rejects.toMatchObject({ kind: 'not_found' })
    await vi.runAllTimersAsync()
    await deleted
  })
})
