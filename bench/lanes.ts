import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { type BenchData, benchData, cachedPostgres, cachedSqlite, noted } from './data.ts'
import { percentile } from './numbers.ts'
import { CACHE, keptPostgres } from './postgres.ts'

/**
 * Whether one workspace holds up another: reads by id in a small one, alone and while many heavy lists of a large one are asked for
 * without a pause. No index helps those, and no two are alike.
 */
const { values } = parseArgs({
  options: { engine: { type: 'string', default: 'sqlite' }, companies: { type: 'string', default: '100000' } },
})
const COMPANIES = Number(values.companies)
const READS = 2000
const HEAVY_AT_ONCE = 8

const server = values.engine === 'postgres' ? await keptPostgres() : undefined
const name = `lanes-${COMPANIES}`
const sizes = { companies: COMPANIES }
const large = server ? await cachedPostgres(server.url, name, sizes) : await cachedSqlite(name, sizes)
const small = await noted(join(CACHE, `${values.engine}-beside-${name}.json`), 'a small workspace beside it', () =>
  benchData(large.url, { companies: 1000 }),
)
const noLimits = { RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' }
const service = await startService({ DATABASE_URL: large.url, SECRET: large.secret, ...noLimits })
try {
  await measure(`${service.url}/api/v1`)
} finally {
  await service.stop()
  await server?.stop()
}

async function measure(api: string): Promise<void> {
  const ids = await idsOf(api, small)
  await readAll(api, ids.slice(0, 500))
  const idle = await readAll(api, ids)
  let heavy = 0
  let running = true
  const mix = Array.from({ length: HEAVY_AT_ONCE }, async () => {
    while (running) {
      await ask(`${api}${heavyList(heavy++)}`, large)
    }
  })
  await new Promise((resolve) => setTimeout(resolve, 500))
  const beside = await readAll(api, ids)
  running = false
  await Promise.all(mix)
  console.log(
    `${values.engine}: ${READS} reads by id in a small workspace, ${heavy} heavy lists of ${COMPANIES} companies beside them`,
  )
  for (const [when, times] of [
    ['alone', idle],
    ['beside the heavy lists', beside],
  ] as const) {
    const [p50, p99] = [percentile(times, 50), percentile(times, 99)]
    console.log(
      `${when}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, slowest ${Math.max(...times).toFixed(2)} ms`,
    )
  }
  console.log(`ratio of the p99s: ${(percentile(beside, 99) / percentile(idle, 99)).toFixed(1)} (wanted: 5 at most)`)
}

/** Every company is looked at, and what is found is sorted by two custom fields. */
function heavyList(number: number): string {
  const letter = 'aeiorstn'[number % 8]
  return `/companies?sort=custom_fields.founded,custom_fields.revenue&filter[name][$contains]=${letter}&page=${1 + number}`
}

async function idsOf(api: string, data: BenchData): Promise<string[]> {
  const ids: string[] = []
  for (let page = 1; page <= 10; page++) {
    const { data: records } = (await ask(`${api}/companies?per_page=100&page=${page}`, data)) as {
      data: { id: string }[]
    }
    ids.push(...records.map((record) => record.id))
  }
  return [...ids, ...ids].slice(0, READS)
}

async function readAll(api: string, ids: readonly string[]): Promise<number[]> {
  const times: number[] = []
  for (const id of ids) {
    const started = performance.now()
    await ask(`${api}/companies/${id}`, small)
    times.push(performance.now() - started)
  }
  return times
}

async function ask(address: string, { token }: BenchData): Promise<unknown> {
  const response = await fetch(address, { headers: { Authorization: `Bearer ${token}` } })
  if (!response.ok) throw new Error(`${address} was answered ${response.status}.`)
  return response.json()
}
