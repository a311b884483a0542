import autocannon from 'autocannon'
import type { Job, Result } from './load.ts'

const TIMEOUT_SECONDS = 60
/** How often autocannon checks whether all responses are there. */
const SAMPLE_MS = 50
let sent = 0

process.on('message', async (job: Job) => {
  const result = await run(job)
  process.send?.(result)
})
process.on('disconnect', () => process.exit())

async function run({ api, token, method, requests, amount, connections }: Job): Promise<Result> {
  const base = new URL(api).pathname
  // Every request differs from all others at least in its host, which is part of the links in the response.
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    const { path, body } = requests[sent % requests.length] ?? { path: '' }
    const host = `n${sent++}.example`
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', host }
    return { ...request, method, path: base + path, body, headers }
  }
  const options = {
    url: api,
    connections: Math.min(connections, amount),
    amount,
    timeout: TIMEOUT_SECONDS,
    sampleInt: SAMPLE_MS,
    requests: [{ setupRequest }],
  }
  const started = performance.now()
  let ended = started
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const running = autocannon(options, (error, finished) => (error ? reject(error) : resolve(finished)))
    running.on('response', () => {
      ended = performance.now()
    })
  })
  const errors = result.errors + result.timeouts + result.non2xx
  const { p50, p99 } = result.latency
  return { count: result.requests.total, p50, p99, errors, seconds: (ended - started) / 1000 }
}
