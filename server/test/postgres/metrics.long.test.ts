import { expect, it } from 'vitest'
import { ownProcess } from '../own-service.ts'

const METRICS_TOKEN = 'a-token-for-the-metrics'

it('/metrics shows how many requests wait for a connection', async () => {
  const own = await ownProcess({ METRICS_TOKEN })
  const answer = await fetch(`${own.url}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } })
  expect(await answer.text()).toMatch(/kith_pool_connections\{state="waiting"\} 0/)
})
