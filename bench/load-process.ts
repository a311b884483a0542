import autocannon from 'autocannon'

/** Told on standard input what to load; says on standard output how it went. */
let text = ''
for await (const part of process.stdin) text += part
const { url, token, method, requests, connections, seconds } = JSON.parse(text)
const result = await autocannon({
  url,
  connections,
  duration: seconds,
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  requests: requests.map((request: { path: string; body?: string }) => ({
    method,
    path: new URL(url).pathname.replace(/\/$/, '') + request.path,
    body: request.body,
  })),
})
const errors = result.errors + result.timeouts + result.non2xx
const count = result.requests.total
const { p50, p99 } = result.latency
process.stdout.write(JSON.stringify({ count, p50, p99, errors, elapsed: result.duration }))
