import { createServer } from 'node:http'
import { expect, inject, it } from 'vitest'
import { ownProcess } from '../own-service.ts'

const METRICS_TOKEN = 'a-token-for-the-metrics'

it('/metrics requires the token, counts requests by route, and shows no id and no secret', async () => {
  const own = await ownProcess({ METRICS_TOKEN, RATE_LIMIT_WRITES: '2' })
  const workspace = await own.workspace()
  const { api } = workspace
  const made = await api.post('/companies', { name: 'Acme' })
  await api.get(`/companies/${made.body.data.id}`)
  await api.get(`/companies/${made.body.data.id}`)
  await api.post('/companies', { name: 'Acme' })
  expect((await api.post('/companies', { name: 'Acme' })).status).toBe(429)
  await api.get('/nothing-here')
  for (const Authorization of ['', 'Bearer wrong', METRICS_TOKEN]) {
    const refused = await fetch(`${own.url}/metrics`, { headers: { Authorization } })
    expect([refused.status, await refused.json()]).toEqual([401, { message: 'Unauthenticated.' }])
  }
  const answer = await fetch(`${own.url}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('Content-Type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const text = await answer.text()
  expect(text).toMatch(/kith_request_seconds_count\{method="GET",route="\/api\/v1\/companies\/:id",status="200"\} 2/)
  expect(text).toMatch(/kith_request_seconds_count\{method="POST",route="\/api\/v1\/companies",status="429"\} 1/)
  expect(text).toMatch(/^kith_rate_limit_refusals_total 1$/m)
  expect(text).toMatch(/^kith_requests_in_flight 1$/m)
  for (const name of [
    'kith_shed_total',
    'nodejs_eventloop_lag_p99_seconds',
    'process_resident_memory_bytes',
    'process_open_fds',
  ])
    expect(text).toContain(`# TYPE ${name} `)
  expect(text).toMatch(/kith_queue_waiting\{lane="write"\} 0/)
  for (const secret of [made.body.data.id, workspace.id, api.token, METRICS_TOKEN]) expect(text).not.toContain(secret)
  await own.stop()
})

it('without METRICS_TOKEN there is no /metrics', async () => {
  const { status, headers } = await fetch(`${inject('service').url}/metrics`, {
    headers: { Accept: 'application/json' },
  })
  expect([status, headers.get('Content-Type')]).not.toEqual([200, expect.stringContaining('version=0.0.4')])
})

it('a span for each request goes to the collector that is configured, under the span of the caller', async () => {
  const received: string[] = []
  const collector = createServer(async (request, response) => {
    received.push(`${request.url} ${Buffer.concat(await request.toArray())}`)
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => collector.once('listening', resolve))
  const address = collector.address()
  const port = typeof address === 'object' ? address?.port : 0
  const own = await ownProcess({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })
  const { api } = await own.workspace()
  const trace = '0af7651916cd43dd8448eb211c80319c'
  await api.get('/companies?sort=name', { headers: { traceparent: `00-${trace}-b7ad6b7169203331-01` } })
  expect(await own.stop()).toBe(0)
  const all = received.join('\n')
  expect(received[0]).toMatch(/^\/v1\/traces /)
  expect(all).toContain(trace)
  expect(all).toContain('GET /api/v1/companies')
  expect(all).not.toContain('sort=name')
  expect(all).not.toContain(api.token)
  collector.closeAllConnections()
  collector.close()
})
