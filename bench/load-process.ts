import autocannon from 'autocannon'
import type { Target } from './load.ts'

/** Told on standard input what to load; says on standard output how it went. */
let text = ''
for await (const part of process.stdin) text += part
const { url, token, method, requests, hosts, connections, seconds }: Target & { connections: number; seconds: number } =
  JSON.parse(text)
const base = new URL(url).pathname.replace(/\/$/, '')
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
let asked = 0
const result = await autocannon({
  url,
  connections,
  duration: seconds,
  headers,
  requests:
    hosts || (method === 'POST' && requests.length > 1)
      ? [{ setupRequest: nextQuestion }]
      : requests.map(({ path, body }) => ({ method, path: base + path, body })),
})

/** All connections take from one row of questions; each with one of its own would ask the same at the same time. */
function nextQuestion(request: autocannon.Request): autocannon.Request {
  const { path, body } = requests[asked % requests.length] ?? { path: '' }
  const host = hosts ? { host: `n${asked}.example` } : {}
  asked++
  return { ...request, method, path: base + path, body, headers: { ...headers, ...host } }
}
const errors = result.errors + result.timeouts + result.non2xx
const count = result.requests.total
const { p50, p99 } = result.latency
process.stdout.write(JSON.stringify({ count, p50, p99, errors, elapsed: result.duration }))
