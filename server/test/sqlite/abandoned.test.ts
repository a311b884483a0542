import { expect, it } from 'vitest'
import { loadSample } from '../../src/sample/load.ts'
import { ownProcess } from '../own-service.ts'

it('when its client hangs up a query ends, those behind it are not begun, and the reader is free for the next', async () => {
  const own = await ownProcess({ QUERY_SECONDS: '0', READER_THREADS: '1', METRICS_TOKEN: 'a token for metrics' })
  const workspace = await own.workspace()
  const { api } = workspace
  await loadSample(await workspace.scope(), {
    sizes: { companies: 1, people: 3000, opportunities: 0, tasks: 0, notes: 0 },
    seed: 1,
  })
  const ending = new AbortController()
  const headers = { Authorization: `Bearer ${api.token}`, 'Content-Type': 'application/json' }
  const send = (mark: number) => {
    const colleague = (n: number) => ({ company: { people: { name: { $contains: `qz${mark}x${n}` } } } })
    const body = JSON.stringify({ filter: { $not: { $or: Array.from({ length: 10 }, (_, n) => colleague(n)) } } })
    return fetch(`${own.url}/api/v1/people/query`, { method: 'POST', headers, body, signal: ending.signal })
  }
  const sent = Array.from({ length: 5 }, (_, mark) => send(mark).catch(() => undefined))
  // In the lane are those that wait and the one at work.
  await until(async () => (await waiting(own.url)) === 5)
  ending.abort()
  await Promise.all(sent)
  expect((await api.get('/people?per_page=100')).status).toBe(200)
  expect(await waiting(own.url)).toBe(0)
  expect(own.service.output()).not.toContain('"level":50')
})

async function waiting(url: string): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { Authorization: 'Bearer a token for metrics' } })
  const text = await response.text()
  return Number(/lane="read"\} (\d+)/.exec(text)?.[1])
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20))
}
