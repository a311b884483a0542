import { describe, expect, it } from 'vitest'
import type { Api } from '../../api.ts'
import { signedInMember } from '../../browser.ts'
import { closeStreamsAfterEach, type Heard, listenTo } from '../../event-stream.ts'
import { ownProcess } from '../../own-service.ts'
import { newWorkspace } from '../../workspace.ts'

closeStreamsAfterEach()

function stream({ base, token }: Api, path: string, lastId?: string): Promise<Heard> {
  const last: Record<string, string> = lastId === undefined ? {} : { 'Last-Event-ID': lastId }
  return listenTo(base + path, { Authorization: `Bearer ${token}`, ...last })
}

function entriesIn(heard: Heard) {
  return heard.heard('change').map(({ data = '' }) => JSON.parse(data))
}

function namesIn(heard: Heard): unknown[] {
  return entriesIn(heard).map(({ attributes }) => attributes.record?.attributes.name)
}

describe('GET /v1/changes/stream', () => {
  it('each entry has id: its cursor, event: change, data: the entry; first line retry: 3000', async () => {
    const { api } = await newWorkspace()
    const { body: now } = await api.get('/changes?cursor=now')
    const heard = await stream(api, '/changes/stream?cursor=now')
    expect(heard.response.status).toBe(200)
    expect(heard.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(heard.response.headers.get('cache-control')).toBe('no-store')
    await expect.poll(() => heard.events[0]).toEqual({ retry: '3000' })
    await api.post('/people', { name: 'Ada' })
    await api.post('/companies', { name: 'Acme' })
    await expect.poll(() => namesIn(heard)).toEqual(['Ada', 'Acme'])
    const { body } = await api.get(`/changes?cursor=${now.meta.next_cursor}`)
    expect(entriesIn(heard)).toEqual(body.data)
    const [first, second] = heard.heard('change')
    const after = await api.get(`/changes?cursor=${first?.id}`)
    expect(after.body.data).toEqual([body.data[1]])
    expect((await api.get(`/changes?cursor=${second?.id}`)).body.data).toEqual([])
    expect(heard.heard('live')).toEqual([])
  })

  it('new entries reach a stream within two seconds, also those of another process', async () => {
    const workspace = await newWorkspace()
    const heard = await stream(workspace.api, '/changes/stream?cursor=now')
    await expect.poll(() => heard.events.length).toBeGreaterThan(0)
    await new Promise((resolve) => setTimeout(resolve, 500))
    const written = performance.now()
    const member = await workspace.member('viewer')
    await expect.poll(() => entriesIn(heard).map(({ attributes }) => attributes.record_id)).toEqual([member.id])
    // Two seconds, and more on a busy machine.
    expect(performance.now() - written).toBeLessThan(30_000)
  })

  it('Last-Event-ID takes precedence over cursor', async () => {
    const { api } = await newWorkspace()
    const first = await stream(api, '/changes/stream?cursor=now')
    await expect.poll(() => first.events.length).toBeGreaterThan(1)
    // Before its first entry the stream says where it began, so that a client that is cut off misses nothing.
    const began = first.events.find((one) => one.id !== undefined && one.event === undefined)
    first.close()
    await api.post('/people', { name: 'Ada' })
    await api.post('/people', { name: 'Bob' })
    const again = await stream(api, '/changes/stream?cursor=now', began?.id)
    await expect.poll(() => namesIn(again)).toEqual(['Ada', 'Bob'])
    const later = await stream(api, '/changes/stream', again.heard('change')[0]?.id)
    await expect.poll(() => namesIn(later)).toEqual(['Bob'])
  })

  it('at the hand-off: event: live, data: {}; a client that reconnects in the snapshot goes on there', async () => {
    const { api } = await newWorkspace()
    for (const name of ['Ada', 'Bob', 'Cleo']) await api.post('/people', { name })
    const heard = await stream(api, '/people/changes/stream?cursor=start')
    await expect.poll(() => heard.heard('live').map(({ data }) => data)).toEqual(['{}'])
    const snapshot = entriesIn(heard)
    expect(snapshot.map(({ attributes }) => [attributes.kind, attributes.sequence])).toEqual(
      Array.from({ length: 3 }, () => ['snapshot', null]),
    )
    expect(namesIn(heard)).toEqual(['Ada', 'Bob', 'Cleo'])
    await api.post('/people', { name: 'Dana' })
    await expect.poll(() => namesIn(heard)).toEqual(['Ada', 'Bob', 'Cleo', 'Dana'])
    const names = heard.events.map(({ event, data = '{}' }) => (event === 'change' ? JSON.parse(data).type : event))
    expect(names.filter((name) => name !== undefined)).toEqual(['changes', 'changes', 'changes', 'live', 'changes'])
    const again = await stream(api, '/people/changes/stream?cursor=start', heard.heard('change')[0]?.id)
    await expect.poll(() => again.heard('live')).toHaveLength(1)
    // What was created meanwhile is in the rest of the snapshot, and comes again as a change.
    await expect.poll(() => namesIn(again)).toEqual(['Bob', 'Cleo', 'Dana', 'Dana'])
  })

  it('has the filter of its resource', async () => {
    const { api } = await newWorkspace()
    const heard = await stream(api, '/people/changes/stream?cursor=now&filter[name][$contains]=a&payload=thin')
    await api.post('/people', { name: 'Bob' })
    const { body } = await api.post('/people', { name: 'Ada' })
    await api.patch(`/people/${body.data.id}`, { name: 'Edith' })
    await expect.poll(() => entriesIn(heard).map(({ attributes }) => attributes.kind)).toContain('left')
    for (const { attributes } of entriesIn(heard)) expect(attributes.record_id).toBe(body.data.id)
  })

  it('takes no limit, wait or compact, and needs a place to begin', async () => {
    const { api } = await newWorkspace()
    for (const parameter of ['limit=1', 'wait=1', 'compact=true', 'page=1', 'include=company']) {
      const { status, body } = await api.get(`/changes/stream?cursor=now&${parameter}`)
      expect([status, Object.keys(body.errors)], parameter).toEqual([422, [parameter.split('=')[0]]])
    }
    const none = await api.get('/changes/stream')
    expect([none.status, Object.keys(none.body.errors)]).toEqual([422, ['cursor']])
    const wrong = await api.get('/changes/stream', { headers: { 'Last-Event-ID': 'x' } })
    expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ['cursor']])
    expect((await api.get('/users/changes/stream?cursor=now')).status).toBe(404)
  })

  it('needs the ability read, and HEAD opens no stream', async () => {
    const workspace = await newWorkspace()
    const writer = await workspace.token({ abilities: ['create'] })
    expect((await writer.get('/changes/stream?cursor=now')).status).toBe(403)
    const { base, token } = workspace.api
    expect((await fetch(`${base}/changes/stream?cursor=now`)).status).toBe(401)
    const headers = { Authorization: `Bearer ${token}` }
    const head = await fetch(`${base}/changes/stream?cursor=now`, { method: 'HEAD', headers })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await workspace.api.post('/changes/stream')).status).toBe(405)
  })
})

it('ends within 30 s after the token stops being valid', async () => {
  const workspace = await newWorkspace()
  const token = await workspace.token()
  const heard = await stream(token, '/changes/stream?cursor=now')
  await workspace.revoke(token.id)
  await expect.poll(() => heard.ended(), { timeout: 90_000 }).toBe(true)
})

it('works in the application under its session, and ends with the membership', async () => {
  const workspace = await newWorkspace()
  const { browser, ...person } = await signedInMember(workspace, 'viewer')
  const url = `${browser.url}/api/app/w/${workspace.slug}/v1/changes/stream?cursor=now`
  const heard = await listenTo(url, { Cookie: browser.cookie() })
  await workspace.api.post('/people', { name: 'Ada' })
  await expect.poll(() => namesIn(heard)).toEqual(['Ada'])
  await workspace.remove(person)
  await expect.poll(() => heard.ended(), { timeout: 90_000 }).toBe(true)
  expect(namesIn(heard)).toEqual(['Ada'])
})

it('takes no capacity from requests in flight, and ends when the service stops', async () => {
  const own = await ownProcess({ REQUESTS_AT_ONCE: '5' })
  const { api } = await own.workspace()
  const streams: Heard[] = []
  for (let one = 0; one < 8; one++) streams.push(await stream(api, '/changes/stream?cursor=now'))
  expect(streams.map(({ response }) => response.status)).toEqual(Array.from({ length: 8 }, () => 200))
  expect((await api.get('/user')).status).toBe(200)
  expect(await own.stop()).toBe(0)
  expect(streams.every(({ ended }) => ended())).toBe(true)
})
