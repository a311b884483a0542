import { startService } from '../server/test/setup/service.ts'
import { type BenchData, cachedSqlite } from './data.ts'
import { percentile } from './numbers.ts'

const COMPANIES = Number(process.argv[2] ?? 500_000)
const READS = 1000

/** Whether a long list holds up others: reads by id, alone and while a list over all companies runs in a reader thread. */
const data = await cachedSqlite(`lanes-${COMPANIES}`, { companies: COMPANIES })
const service = await startService({
  DATABASE_URL: data.url,
  SECRET: data.secret,
  RATE_LIMIT_WORKSPACE: '0',
  RATE_LIMIT_READS: '0',
  RATE_LIMIT_WRITES: '0',
})
try {
  await measure(data, `${service.url}/api/v1`)
} finally {
  await service.stop()
}

async function measure({ token }: BenchData, api: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` }
  const ids: string[] = []
  for (let page = 1; page <= 10; page++) {
    const response = await fetch(`${api}/companies?per_page=100&page=${page}&fields=name`, { headers })
    const { data } = (await response.json()) as { data: { id: string }[] }
    ids.push(...data.map((record) => record.id))
  }
  const read = async (id: string): Promise<number> => {
    const started = performance.now()
    const response = await fetch(`${api}/companies/${id}`, { headers })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`A read was answered ${response.status}.`)
    return performance.now() - started
  }
  for (const id of ids.slice(0, 200)) await read(id)

  const idle: number[] = []
  for (const id of ids.slice(0, READS)) idle.push(await read(id))

  // No index helps with this one: every company is looked at, and all are sorted by a tag-like text.
  const slow = `${api}/companies?sort=custom_fields.founded,custom_fields.revenue&filter[name][$contains]=a&page=3`
  const started = performance.now()
  let running = true
  const list = fetch(slow, { headers }).then(async (response) => {
    await response.arrayBuffer()
    running = false
    return { status: response.status, ms: performance.now() - started }
  })
  const beside: number[] = []
  let whileRunning = 0
  for (const id of ids.slice(0, READS)) {
    beside.push(await read(id))
    if (running) whileRunning++
  }
  const { status, ms } = await list
  console.log(`${COMPANIES} companies; a slow list answered ${status} after ${ms.toFixed(0)} ms`)
  console.log(`${whileRunning} of ${READS} reads by id were answered while it ran`)
  for (const [name, times] of [
    ['alone', idle],
    ['beside the slow list', beside],
  ] as const) {
    const [p50, p99] = [percentile(times, 50), percentile(times, 99)]
    console.log(
      `reads ${name}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, slowest ${Math.max(...times).toFixed(2)} ms`,
    )
  }
  console.log(`ratio of the p99s: ${(percentile(beside, 99) / percentile(idle, 99)).toFixed(1)}`)
}
