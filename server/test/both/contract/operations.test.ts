import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, inject, it } from 'vitest'
import { apiAt } from '../../api.ts'
import { type OwnService, ownService } from '../../own-service.ts'
import { startService } from '../../setup/service.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

/** Asks again until it is so, without waiting longer than needed. */
async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10))
}

describe('/healthz and /readyz', () => {
  it('a service that is up says so, without a token', async () => {
    const { url } = inject('service')
    const health = await fetch(`${url}/healthz`)
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }])
    const ready = await fetch(`${url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }])
  })

  it('a service whose database is not at its version is alive and not ready', async () => {
    const own = await ownService()
    const migrations = own.runtime.engine.single.query
    const newer = { name: '9999-of-the-future', applied_at: new Date().toISOString() }
    await migrations.insertInto('migrations').values(newer).execute()
    const ready = await fetch(`${own.url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: 'not ready', reason: expect.stringMatching(/version/) },
    ])
    expect((await fetch(`${own.url}/healthz`)).status).toBe(200)
    await migrations.deleteFrom('migrations').where('name', '=', newer.name).execute()
    expect((await fetch(`${own.url}/readyz`)).status).toBe(200)
    await own.stop()
  })
})

/** A create whose body is not sent before `finish`. The service has begun to read it. */
async function beginCreate(own: OwnService, { api }: TestWorkspace) {
  const body = JSON.stringify({ name: 'Begun before the end' })
  const headers = {
    Authorization: `Bearer ${api.token}`,
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    Expect: '100-continue',
  }
  const sent = request(`${own.url}/api/v1/companies`, { method: 'POST', headers, agent: false })
  const answered = once(sent, 'response')
  sent.flushHeaders()
  await once(sent, 'continue')
  return {
    async finish(): Promise<number | undefined> {
      sent.end(body)
      const [response] = await answered
      response.resume()
      await once(response, 'end')
      return response.statusCode
    },
  }
}

function refusesConnections({ url }: OwnService): Promise<boolean> {
  return fetch(`${url}/healthz`, { headers: { Connection: 'close' } }).then(
    () => false,
    () => true,
  )
}

describe('stopping', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s finishes running requests and exits 0', async (signal) => {
    const own = await ownService()
    const workspace = await own.workspace()
    const begun = await beginCreate(own, workspace)
    const ended = once(own.service.process, 'exit')
    own.service.process.kill(signal)
    await until(() => refusesConnections(own))
    expect(await begun.finish()).toBe(201)
    expect(await ended).toEqual([0, null])
    const again = await startService(own.env)
    const list = await apiAt(again.url, workspace.api.token).get('/companies')
    expect(list.body.data[0].attributes.name).toBe('Begun before the end')
    await again.stop()
    await own.stop()
  })

  it('many requests that are under way when the service is told to stop are all answered', async () => {
    const own = await ownService({ RATE_LIMIT_WRITES: '0' })
    const { api } = await own.workspace()
    let answered = 0
    const requests = Array.from({ length: 100 }, async (_, index) => {
      const answer = await api.post('/companies', { name: `Number ${index}` })
      answered++
      return answer.status
    })
    await until(() => answered > 0)
    const ended = once(own.service.process, 'exit')
    own.service.process.kill('SIGTERM')
    const statuses = (await Promise.allSettled(requests)).flatMap((one) =>
      one.status === 'fulfilled' ? [one.value] : [],
    )
    expect(new Set(statuses)).toEqual(new Set([201]))
    expect(await ended, own.service.output()).toEqual([0, null])
    const again = await startService(own.env)
    expect((await apiAt(again.url, api.token).get('/companies')).body.meta.total).toBe(statuses.length)
    await again.stop()
    await own.stop()
  })
})

describe('the log', () => {
  it.each(['info', 'trace'])(
    'names each request and holds neither tokens nor query strings nor bodies: LOG_LEVEL=%s',
    async (LOG_LEVEL) => {
      const own = await ownService({ LOG_LEVEL })
      const { api, id, runtime } = await own.workspace()
      const tokens = await runtime.engine.db.query
        .selectFrom('tokens')
        .select('id')
        .where('workspace_id', '=', id)
        .execute()
      const hidden = 'do-not-log-this'
      await api.get(`/companies?filter[name][$eq]=${hidden}`, { headers: { 'X-Request-Id': 'first' } })
      await api.post('/companies', { name: hidden }, { headers: { 'X-Request-Id': 'second' } })
      await api.post('/companies/query', { filter: { name: { $eq: hidden } } })
      await api.get(`/companies?${hidden}=1`)
      await api.get(`/nothing?${hidden}=${api.token}`, { headers: { Cookie: hidden, 'User-Agent': hidden } })
      await api.get('/companies', { headers: { Authorization: `Bearer ${api.token}x` } })
      await runtime.engine.single.session.run('alter table companies rename to somewhere_else', [])
      await api.get(`/companies?filter[name][$eq]=${hidden}`, { headers: { 'X-Request-Id': 'broken' } })
      await own.service.stop()
      const output = own.service.output()
      expect(output).not.toContain(hidden)
      expect(output).not.toContain(api.token.slice(5))
      // The first start prints the link of the set-up, which is no line of the log.
      expect(output.replace(/^.*\/set-up\?token=.*$/m, '')).not.toContain('?')
      expect(output).not.toContain('Bearer kith')
      expect(output).not.toContain(own.env.SECRET)
      const lines = output
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line))
      const first = lines.find((line) => line.request_id === 'first')
      expect(first).toMatchObject({
        method: 'GET',
        path: '/api/v1/companies',
        status: 200,
        workspace: id,
        token: tokens[0]?.id,
      })
      expect(lines.find((line) => line.request_id === 'second')).toMatchObject({ method: 'POST', status: 201 })
      const broken = lines.filter((line) => line.request_id === 'broken')
      expect(broken.find((line) => line.bug !== undefined)?.bug).toMatch(/companies/)
      expect(broken.find((line) => line.status === 500)).toBeDefined()
      await own.stop()
    },
  )
})

describe('7. Tokens: last_used_at is kept (to the minute)', () => {
  const lastUsed = async ({ runtime }: TestWorkspace, id: string) => {
    const row = await runtime.engine.db.query
      .selectFrom('tokens')
      .select('last_used_at')
      .where('id', '=', id)
      .executeTakeFirst()
    return row?.last_used_at ?? null
  }

  it('the first request sets it, and those within the minute leave it', async () => {
    const workspace = await newWorkspace()
    const token = await workspace.token()
    expect(await lastUsed(workspace, token.id)).toBeNull()
    const before = new Date().toISOString()
    await token.get('/companies')
    await until(async () => (await lastUsed(workspace, token.id)) !== null)
    const used = (await lastUsed(workspace, token.id)) ?? ''
    expect(used).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(used >= before).toBe(true)
    for (let i = 0; i < 5; i++) await token.post('/companies', { name: 'x' })
    expect(await lastUsed(workspace, token.id)).toBe(used)
  })

  it('a request after more than a minute moves it', async () => {
    const workspace = await newWorkspace()
    const token = await workspace.token()
    const long_ago = new Date(Date.now() - 3_600_000).toISOString()
    const tokens = workspace.runtime.engine.single.query
    await tokens.updateTable('tokens').set({ last_used_at: long_ago }).where('id', '=', token.id).execute()
    await token.get('/companies')
    await until(async () => ((await lastUsed(workspace, token.id)) ?? '') > long_ago)
  })

  it('a token that is refused was not used', async () => {
    const workspace = await newWorkspace()
    const token = await workspace.token()
    await workspace.revoke(token.id)
    expect((await token.get('/companies')).status).toBe(401)
    expect(await lastUsed(workspace, token.id)).toBeNull()
  })
})
