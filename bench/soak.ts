import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { cachedData, createToken } from './data.ts'
import { SECRET } from './kith.ts'
import { memoryMegabytes } from './load.ts'
import { percentile } from './numbers.ts'
import { startServer } from './postgres.ts'
import { type Outcome, pour } from './pour.ts'
import { rateLimits } from './sides.ts'

/**
 * Mixed reads and writes of many tokens. First as fast as possible, to find the capacity. Then at 70 % of it for
 * minutes: nothing may fail, slow down or grow. Then at three times the capacity: it must shed load and recover.
 */
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    minutes: { type: 'string', default: '10' },
    overload: { type: 'string', default: '30' },
    tokens: { type: 'string', default: '20' },
  },
})
const METRICS_TOKEN = 'a token for the metrics of the soak'

const server = values.database === 'postgres' ? await startServer() : undefined
const database = server ? 'postgres' : 'sqlite'
const { copy } = await cachedData({ database, sizes: { companies: 20_000, people: 5000 }, server: server?.url })
const data = await copy('soak')
const tokens = Array.from({ length: Number(values.tokens) }, () => createToken(data, data.slug))
const service = await startService({ DATABASE_URL: data.url, SECRET, ...rateLimits(0), METRICS_TOKEN })
const pid = service.process.pid ?? 0
const target = { url: `${service.url}/api/v1`, tokens, ids: await idsOf(service.url) }
try {
  await pour(target, { atOnce: 32, seconds: 3 })
  const full = await pour(target, { atOnce: 32, seconds: 8 })
  const capacity = full.answered / full.seconds
  console.log(`${database}: capacity ${Math.round(capacity)} requests/s (${described(full)})`)
  await soak(capacity * 0.7, Number(values.minutes))
  await overload(capacity * 3, Number(values.overload))
} finally {
  await service.stop()
  await server?.stop()
}

async function idsOf(url: string): Promise<string[]> {
  const headers = { Authorization: `Bearer ${data.token}` }
  const response = await fetch(`${url}/api/v1/companies?per_page=100`, { headers })
  // A list of records.
  const list = (await response.json()) as { data: { id: string }[] }
  return list.data.map(({ id }) => id)
}

async function soak(rate: number, minutes: number): Promise<void> {
  const slices = Math.max(2, Math.round(minutes * 6))
  const rows: { errors: number; heap: number; files: number }[] = []
  for (let slice = 0; slice < slices; slice++) {
    const outcome = await pour(target, { rate, seconds: (minutes * 60) / slices })
    const [p50, p99, writes] = [
      percentile(outcome.times, 50),
      percentile(outcome.times, 99),
      percentile(outcome.writeTimes, 99),
    ].map((ms) => ms.toFixed(1))
    const row = { errors: outcome.failed + outcome.refused, heap: await heapMegabytes(), files: openFiles() }
    rows.push(row)
    const times = `p50 ${p50} ms, p99 ${p99} ms (writes ${writes} ms), errors ${row.errors}`
    const memory = `heap ${row.heap} MB, memory ${memoryMegabytes(pid)} MB, open files ${row.files}`
    console.log(`${(((slice + 1) * minutes) / slices).toFixed(1)} min: ${times}, ${memory}`)
  }
  // The heap contains garbage that is not collected yet; the smallest of many samples is close to what is in use.
  const fifth = Math.max(1, Math.floor(rows.length / 5))
  const held = (from: number, to?: number) => Math.min(...rows.slice(from, to).map((row) => row.heap))
  const [before, after] = [held(fifth, 2 * fifth), held(-fifth)]
  const [early, last] = [rows[fifth], rows.at(-1)]
  if (!early || !last) return
  const growth = ((after - before) / before) * 100
  const errors = rows.reduce((sum, row) => sum + row.errors, 0)
  const heap = `heap ${before} → ${after} MB (${growth.toFixed(1)} %) from the second fifth to the last`
  const files = `open files ${early.files} → ${last.files}`
  console.log(`${Math.round(rate)} requests/s for ${minutes} min: errors ${errors}, ${heap}, ${files}`)
}

async function overload(rate: number, seconds: number): Promise<void> {
  const outcome = await pour(target, { rate, seconds })
  console.log(`at ${Math.round(rate)} requests/s for ${seconds} s: ${described(outcome)}`)
  const started = performance.now()
  for (let calm = 0; calm < 3; ) {
    const after = await pour(target, { rate: 20, seconds: 0.5 })
    calm = after.failed + after.refused === 0 && percentile(after.times, 99) < 250 ? calm + 1 : 0
  }
  console.log(`recovered ${((performance.now() - started) / 1000).toFixed(1)} s after the overload`)
}

function described({ answered, refused, failed, times, seconds, reasons }: Outcome): string {
  const [p50, p99] = [percentile(times, 50), percentile(times, 99)]
  const why = [...reasons].map(([reason, count]) => `(${reason}: ${count})`).join(' ')
  const latency = `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
  return `${Math.round(answered / seconds)}/s, ${latency}; ${refused} refused with 503, ${failed} failed ${why}`
}

/** The smallest of a few samples, since the service cannot be told to collect garbage first. */
async function heapMegabytes(): Promise<number> {
  const samples: number[] = []
  for (let sample = 0; sample < 5; sample++) {
    const answer = await fetch(`${service.url}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } })
    const used = /^nodejs_heap_size_used_bytes (\S+)/m.exec(await answer.text())?.[1]
    samples.push(Number(used) / 2 ** 20)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return Math.round(Math.min(...samples))
}

function openFiles(): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
