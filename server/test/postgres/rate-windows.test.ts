import { expect, it } from 'vitest'
import type { Answered } from '../api.ts'
import { ownService } from '../own-service.ts'

function expectLeft({ headers }: Answered, limit: number, remaining: number): void {
  const shown = ['limit', 'remaining'].map((name) => Number(headers.get(`x-ratelimit-${name}`)))
  expect(shown).toEqual([limit, remaining])
}

function expectRefused(answer: Answered, limit: number, named: RegExp): void {
  expect(answer.status).toBe(429)
  expect(answer.body.message).toMatch(named)
  expectLeft(answer, limit, 0)
}

// SQLite serves one process, which is then the whole installation: its windows are in memory and have unit tests.
it('fixed windows from the first request of the bucket, which a refused request does not start', async () => {
  const narrow = await ownService({ RATE_LIMIT_WORKSPACE: '5', RATE_LIMIT_READS: '2' })
  const { api, id, token, runtime } = await narrow.workspace()
  const run = (sql: string) => runtime.engine.single.session.run(sql, [`a ${id}`])
  const passMinute = () => run("update rate_windows set ends = ends - interval '1 minute' where key = $1")
  for (const remaining of [1, 0]) expectLeft(await api.get('/user'), 2, remaining)
  // A minute passes for the workspace alone.
  await passMinute()
  expectRefused(await api.get('/user'), 2, /reads per token/)
  const { rows } = await run('select spent from rate_windows where key = $1')
  expect(rows).toEqual([{ spent: 0 }])
  await run("update rate_windows set ends = ends - interval '50 seconds' where key = $1")
  for (const remaining of [4, 3, 2, 1, 0])
    expectLeft(await (await token()).post('/companies', { name: 'x' }), 5, remaining)
  const refused = await (await token()).post('/companies', { name: 'x' })
  expectRefused(refused, 5, /requests per workspace/)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(10)
  expect(refused.headers.get('x-ratelimit-reset')).toBe(refused.headers.get('retry-after'))
  await passMinute()
  expectLeft(await (await token()).post('/companies', { name: 'x' }), 5, 4)
  await narrow.stop()
})
