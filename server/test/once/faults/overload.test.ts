import { expect, it } from 'vitest'
import { loadSample } from '../../../src/sample/load.ts'
import { ownProcess } from '../../own-service.ts'

it('more requests than there is room for: the rest get 503 with Retry-After, nothing is half done, and it is itself again at once', async () => {
  const own = await ownProcess({
    REQUESTS_AT_ONCE: '20',
    RATE_LIMIT_WORKSPACE: '0',
    RATE_LIMIT_READS: '0',
    RATE_LIMIT_WRITES: '0',
  })
  const workspace = await own.workspace()
  const { api } = workspace
  await loadSample(await workspace.scope(), {
    sizes: { companies: 500, people: 0, opportunities: 0, tasks: 0, notes: 0 },
    seed: 1,
  })
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, index) =>
      index % 2 === 0
        ? api.post('/companies', { name: `New ${index}` })
        : api.get('/companies?per_page=100&include=peopleCount&sort=name'),
    ),
  )
  const refused = answers.filter(({ status }) => status === 503)
  const created = answers.filter(({ status }) => status === 201)
  expect(refused.length).toBeGreaterThan(0)
  expect(answers.filter(({ status }) => ![200, 201, 503].includes(status))).toEqual([])
  for (const { headers, body } of refused) {
    expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1)
    expect(body).toEqual({ message: 'The service has too much to do at the moment. Retry shortly.' })
  }
  // While it is full, health checks are answered.
  expect((await fetch(`${own.url}/healthz`)).status).toBe(200)
  expect((await api.get('/companies?per_page=1')).body.meta.total).toBe(500 + created.length)
  for (let index = 0; index < 20; index++) expect((await api.get('/user')).status).toBe(200)
  await own.stop()
})
