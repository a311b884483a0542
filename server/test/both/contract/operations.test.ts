import { once } from 'node:events'
import { describe, expect, inject, it } from 'vitest'
import { sql } from '../../../src/storage/engines/sql.ts'
import { apiAt } from '../../api.ts'
import { ownProcess, ownService } from '../../own-service.ts'
import { serveHere } from '../../setup/serve-here.ts'
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
    const { api } = await own.workspace()
    const { single } = own.runtime.engine
    const newer = { name: '9999-of-the-future', applied_at: new Date().toISOString() }
    await sql`insert into migrations ${sql.values(newer)}`.run(single)
    const ready = await fetch(`${own.url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { status: 'not ready', reason: expect.stringMatching(/version/) },
    ])
    expect((await fetch(`${own.url}/healthz`)).status).toBe(200)
    // It answers nothing from here on, until it is replaced by the newer version.
    const answer = await api.get('/companies')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(answer.body.message).toMatch(/^A newer version of Kith has changed the database/)
    await own.stop()
  })
})

describe('stopping', () => {
  it('many requests in flight when the service is stopped are all answered', async () => {
    const own = await ownProcess({ RATE_LIMIT_WRITES: '0' })
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
    const again = await serveHere(own.env)
    expect((await apiAt(again.url, api.token).get('/companies')).body.meta.total).toBe(statuses.length)
    await again.stop()
    await own.stop()
  })
})

describe('7. Tokens: last_used_at is kept (to the minute)', () => {
  const lastUsed = async ({ runtime }: TestWorkspace, id: string) => {
    const row = await sql<{ last_used_at: string | null }>`
      select last_used_at from tokens where id = ${id}`.one(runtime.engine.db)
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
    const used = sql`update tokens set last_used_at = ${long_ago} where id = ${token.id}`
    await used.run(workspace.runtime.engine.single)
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
