import { describe, expect, it } from 'vitest'
import { sql } from '../../../src/storage/engines/sql.ts'
import { ownProcess } from '../../own-service.ts'
import { isLong } from '../../run-length.ts'

describe('the log', () => {
  it.each(isLong ? ['info', 'trace'] : ['trace'])(
    'names each request and holds neither tokens nor query strings nor bodies: LOG_LEVEL=%s',
    async (LOG_LEVEL) => {
      const own = await ownProcess({ LOG_LEVEL })
      const { api, id, runtime } = await own.workspace()
      const tokens = await sql<{ id: string }>`select id from tokens where workspace_id = ${id}`.all(runtime.engine.db)
      const hidden = 'do-not-log-this'
      await api.get(`/companies?filter[name][$eq]=${hidden}`, { headers: { 'X-Request-Id': 'first' } })
      await api.post('/companies', { name: hidden }, { headers: { 'X-Request-Id': 'second' } })
      await api.post('/companies/query', { filter: { name: { $eq: hidden } } })
      await api.get(`/companies?${hidden}=1`)
      await api.get(`/nothing?${hidden}=${api.token}`, { headers: { Cookie: hidden, 'User-Agent': hidden } })
      await api.get('/companies', { headers: { Authorization: `Bearer ${api.token}x` } })
      await runtime.engine.single.session.run('alter table companies rename to somewhere_else', [])
      await api.get(`/companies?filter[name][$eq]=${hidden}`, { headers: { 'X-Request-Id': 'broken' } })
      expect(await own.service.stop()).toBe(0)
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
        msg: 'request',
        method: 'GET',
        route: '/api/v1/companies',
        path: '/api/v1/companies',
        status: 200,
        ms: expect.any(Number),
        workspace: id,
        token: tokens[0]?.id,
        time: expect.stringMatching(/^\d{4}-.*Z$/),
      })
      expect(lines.find((line) => line.request_id === 'second')).toMatchObject({ method: 'POST', status: 201 })
      const broken = lines.filter((line) => line.request_id === 'broken')
      expect(broken.find((line) => line.bug !== undefined)?.bug).toMatch(/companies/)
      expect(broken.find((line) => line.status === 500)).toBeDefined()
      await own.stop()
    },
  )
})
