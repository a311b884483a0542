import { describe, expect, it } from 'vitest'
import type { Api } from '../../api.ts'
import { signedInMember } from '../../browser.ts'
import { ownProcess, ownService } from '../../own-service.ts'
import { newWorkspace } from '../../workspace.ts'

async function headOf(api: Api): Promise<string> {
  const { body } = await api.get('/changes?cursor=now')
  return body.meta.next_cursor
}

/** The answer, and how many seconds it took. */
async function timed(api: Api, path: string) {
  const started = performance.now()
  const answer = await api.get(path)
  return { ...answer, seconds: (performance.now() - started) / 1000 }
}

/**
 * On a connection of its own: the others share a few. Asks again where all places are taken, so that it gets one when a
 * request that looks whether they are taken has ended.
 */
async function waitFor({ base, token }: Api, path: string, signal?: AbortSignal) {
  for (;;) {
    const response = await fetch(base + path, { headers: { Authorization: `Bearer ${token}` }, signal: signal ?? null })
    const text = await response.text()
    if (response.status !== 429) return { status: response.status, body: JSON.parse(text) }
    await pause(50)
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('wait=N', () => {
  it('a response that would be empty is held until there is an entry to return, within two seconds', async () => {
    const { api } = await newWorkspace()
    const cursor = await headOf(api)
    const waiting = timed(api, `/changes?cursor=${cursor}&wait=30`)
    await pause(700)
    const written = performance.now()
    const { body: made } = await api.post('/people', { name: 'Ada' })
    const { body, status, seconds } = await waiting
    // Two seconds, and more on a busy machine.
    expect(performance.now() - written).toBeLessThan(25_000)
    expect([status, seconds > 0.6]).toEqual([200, true])
    expect(body.data.map((one: { attributes: object }) => one.attributes)).toMatchObject([
      { kind: 'created', resource: 'people', record_id: made.data.id },
    ])
    expect(body.meta).toMatchObject({ has_more: false, phase: 'live' })
  })

  it('… also an entry that another process writes, and one about a member', async () => {
    const workspace = await newWorkspace()
    const cursor = await headOf(workspace.api)
    const waiting = workspace.api.get(`/changes?cursor=${cursor}&wait=30`)
    await pause(300)
    // As another process would do it: the service is not asked.
    const member = await workspace.member('viewer')
    const { body } = await waiting
    expect(body.data[0].attributes).toMatchObject({ kind: 'created', resource: 'users', record_id: member.id })
  })

  it('or N seconds have passed: then data is [], and next_cursor may have advanced', async () => {
    const { api } = await newWorkspace()
    const cursor = await headOf(api)
    const waiting = timed(api, `/companies/changes?cursor=${cursor}&wait=2`)
    await pause(300)
    // Another resource: it ends no wait, but moves the position.
    await api.post('/people', { name: 'Ada' })
    const { body, seconds } = await waiting
    expect(body.data).toEqual([])
    expect(seconds).toBeGreaterThan(1.9)
    const { meta } = (await api.get(`/companies/changes?cursor=${body.meta.next_cursor}&wait=1`)).body
    const after = await api.get(`/changes?cursor=${meta.next_cursor}`)
    const before = await api.get(`/changes?cursor=${cursor}`)
    expect([before.body.data.length, after.body.data.length]).toEqual([1, 0])
  })

  it('a response with entries is not held, and neither is one with wait=0 or without wait', async () => {
    const { api } = await newWorkspace()
    const cursor = await headOf(api)
    for (const wait of ['', '&wait=0']) {
      expect((await timed(api, `/changes?cursor=${cursor}${wait}`)).seconds).toBeLessThan(25)
    }
    await api.post('/people', { name: 'Ada' })
    const { body, seconds } = await timed(api, `/changes?cursor=${cursor}&wait=30`)
    expect([body.data.length, seconds < 25]).toEqual([1, true])
  })

  it('has no effect before the hand-off', async () => {
    const { api } = await newWorkspace()
    let cursor = 'start'
    const phases: string[] = []
    const started = performance.now()
    for (let phase = ''; phase !== 'live'; phases.push(phase)) {
      const { body } = await api.get(`/notes/changes?cursor=${cursor}&wait=30`)
      cursor = body.meta.next_cursor
      phase = body.meta.phase
    }
    expect(phases.at(-1)).toBe('live')
    expect(performance.now() - started).toBeLessThan(25_000)
  })

  it.each(['-1', '31', '1.5', 'soon'])('wait=%s is 422', async (wait) => {
    const { api } = await newWorkspace()
    const { status, body } = await api.get(`/changes?cursor=now&wait=${wait}`)
    expect([status, Object.keys(body.errors)]).toEqual([422, ['wait']])
  })
})

it('counts as one read', async () => {
  const own = await ownService({ RATE_LIMIT_READS: '3' })
  const { api } = await own.workspace()
  const cursor = await headOf(api)
  const waiting = api.get(`/notes/changes?cursor=${cursor}&wait=3`)
  await pause(300)
  for (const name of ['Ada', 'Bob', 'Cleo']) await api.post('/people', { name })
  expect((await waiting).headers.get('x-ratelimit-remaining')).toBe('1')
  expect((await api.get('/user')).headers.get('x-ratelimit-remaining')).toBe('0')
  await own.stop()
})

it('a token that is revoked while it waits gets 401, not the entries', async () => {
  const workspace = await newWorkspace()
  const token = await workspace.token()
  const cursor = await headOf(token)
  const waiting = token.get(`/changes?cursor=${cursor}&wait=30`)
  await pause(300)
  await workspace.revoke(token.id)
  await workspace.api.post('/people', { name: 'Ada' })
  expect((await waiting).status).toBe(401)
})

describe('at most 10 waiting requests and streams together per token, 50 per workspace', () => {
  it('more is 429 with Retry-After: 5, whether or not rate limits are on; a closed connection frees its place', async () => {
    const workspace = await newWorkspace()
    const { api } = workspace
    const cursor = await headOf(api)
    const path = `/changes?cursor=${cursor}&wait=30`
    const leaving = new AbortController()
    const headers = { Authorization: `Bearer ${api.token}` }
    const left = waitFor(api, path, leaving.signal).catch(() => 'left')
    const stream = await fetch(`${api.base}/changes/stream?cursor=now`, { headers })
    const waiting = Array.from({ length: 8 }, () => waitFor(api, path))
    const waits = async () => (await api.get(`/changes?cursor=${cursor}&wait=1`)).status
    await expect.poll(waits).toBe(429)
    const refused = await api.get(`/changes/stream?cursor=now`)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    expect(refused.body.message).toContain('10')
    // Without waiting, and with another token, it goes on.
    expect((await api.get(`/changes?cursor=${cursor}`)).status).toBe(200)
    expect((await (await workspace.token()).get(`/changes?cursor=${cursor}&wait=1`)).status).toBe(200)
    leaving.abort()
    await left
    await expect.poll(waits).toBe(200)
    await stream.body?.cancel()
    await api.post('/people', { name: 'Ada' })
    for (const one of await Promise.all(waiting)) expect(one.body.data).toHaveLength(1)
  })

  it('50 per workspace', async () => {
    const workspace = await newWorkspace()
    const cursor = await headOf(workspace.api)
    const tokens = await Promise.all(Array.from({ length: 5 }, () => workspace.token()))
    const waiting = tokens.flatMap((token) =>
      Array.from({ length: 10 }, () => waitFor(token, `/changes?cursor=${cursor}&wait=30`)),
    )
    await expect.poll(async () => (await workspace.api.get(`/changes?cursor=${cursor}&wait=1`)).status).toBe(429)
    const other = await newWorkspace()
    expect((await other.api.get('/changes?cursor=now&wait=1')).status).toBe(200)
    await workspace.api.post('/people', { name: 'Ada' })
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200))
  })
})

it('works in the application under its session', async () => {
  const workspace = await newWorkspace()
  const { browser } = await signedInMember(workspace, 'viewer')
  const { body } = await browser.get(`/w/${workspace.slug}/v1/changes?cursor=now`)
  const waiting = browser.get(`/w/${workspace.slug}/v1/changes?cursor=${body.meta.next_cursor}&wait=20`)
  await pause(300)
  await workspace.api.post('/people', { name: 'Ada' })
  expect((await waiting).body.data).toHaveLength(1)
})

it('a stopping service ends waiting requests with a normal, empty response, and does not wait', async () => {
  const own = await ownProcess()
  const { api } = await own.workspace()
  const cursor = await headOf(api)
  const waiting = Array.from({ length: 10 }, () => waitFor(api, `/changes?cursor=${cursor}&wait=30`))
  // All of them wait when there is no place for another one.
  await expect.poll(async () => (await api.get(`/changes?cursor=${cursor}&wait=1`)).status).toBe(429)
  const started = performance.now()
  const stopped = own.stop()
  for (const { status, body } of await Promise.all(waiting)) {
    expect([status, body.data, body.meta.next_cursor]).toEqual([200, [], cursor])
  }
  expect(await stopped).toBe(0)
  expect(performance.now() - started).toBeLessThan(20_000)
})
