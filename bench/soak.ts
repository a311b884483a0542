import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startService } from '../server/test/setup/service.ts'
import { memoryMegabytes } from './load.ts'
import { percentile } from './numbers.ts'
import { type Outcome, pour } from './pour.ts'
import { soakWorld } from './soak-world.ts'

/**
 * Mixed reads and writes of many tokens: first as fast as it goes, to know the capacity; then at 70 % of it for minutes, where nothing may
 * fail, slow down or grow; then at three times the capacity, where the rest must be turned away and the service be itself again afterwards.
 */
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    minutes: { type: 'string', default: '10' },
    overload: { type: 'string', default: '30' },
    tokens: { type: 'string', default: '20' },
  },
})
const METRICS_TOKEN = 'a token for the metrics of the soak'
const noLimits = { RATE_LIMIT_WORKSPACE: '0', RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0' }

const world = await soakWorld(values.engine, Number(values.tokens))
const service = await startService({ ...world.env, ...noLimits, METRICS_TOKEN })
const pid = service.process.pid ?? 0
try {
  const target = { url: `${service.url}/api/v1`, ...world }
  await pour(target, { atOnce: 32, seconds: 3 })
  const full = await pour(target, { atOnce: 32, seconds: 8 })
  const capacity = full.answered / full.seconds
  console.log(`${values.engine}: capacity ${Math.round(capacity)} requests/s (${told(full)})`)
  await soak(capacity * 0.7, Number(values.minutes))
  await overload(capacity * 3, Number(values.overload))
} finally {
  await service.stop()
  await world.drop()
}

async function soak(rate: number, minutes: number): Promise<void> {
  const target = { url: `${service.url}/api/v1`, ...world }
  const slices = Math.max(2, Math.round(minutes * 6))
  const rows: {
    minute: number
    p50: number
    p99: number
    writes: number
    errors: number
    heap: number
    rss: number
    files: number
  }[] = []
  for (let slice = 0; slice < slices; slice++) {
    const outcome = await pour(target, { rate, seconds: (minutes * 60) / slices })
    const row = {
      minute: ((slice + 1) * minutes) / slices,
      p50: percentile(outcome.times, 50),
      p99: percentile(outcome.times, 99),
      writes: percentile(outcome.writeTimes, 99),
      errors: outcome.failed + outcome.refused,
      heap: await heapMegabytes(),
      rss: memoryMegabytes(pid),
      files: openFiles(),
    }
    rows.push(row)
    console.log(
      `${row.minute.toFixed(1)} min: p50 ${row.p50.toFixed(1)} ms, p99 ${row.p99.toFixed(1)} ms (of writes ${row.writes.toFixed(1)} ms), errors ${row.errors}, heap ${row.heap} MB, memory ${row.rss} MB, open files ${row.files}`,
    )
  }
  // The heap is full of what has not been collected yet; the least of many looks is what is really held.
  const fifth = Math.max(1, Math.floor(rows.length / 5))
  const held = (from: number, to?: number) => Math.min(...rows.slice(from, to).map((row) => row.heap))
  const [before, after] = [held(fifth, 2 * fifth), held(-fifth)]
  const [early, last] = [rows[fifth], rows.at(-1)]
  if (!early || !last) return
  const growth = ((after - before) / before) * 100
  const errors = rows.reduce((sum, row) => sum + row.errors, 0)
  console.log(
    `at ${Math.round(rate)} requests/s for ${minutes} min: errors ${errors}, heap ${before} → ${after} MB (${growth.toFixed(1)} %) between the second fifth of the time and the last, open files ${early.files} → ${last.files}`,
  )
}

async function overload(rate: number, seconds: number): Promise<void> {
  const target = { url: `${service.url}/api/v1`, ...world }
  const flood = await pour(target, { rate, seconds })
  console.log(`at ${Math.round(rate)} requests/s for ${seconds} s: ${told(flood)}`)
  const started = performance.now()
  for (let calm = 0; calm < 3; ) {
    const after = await pour(target, { rate: 20, seconds: 0.5 })
    calm = after.failed + after.refused === 0 && percentile(after.times, 99) < 250 ? calm + 1 : 0
  }
  console.log(`itself again ${((performance.now() - started) / 1000).toFixed(1)} s after the flood`)
}

function told({ answered, refused, failed, times, seconds, reasons }: Outcome): string {
  const [p50, p99] = [percentile(times, 50), percentile(times, 99)]
  return `${Math.round(answered / seconds)}/s answered, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; ${refused} refused with 503, ${failed} failed ${[...reasons].map(([why, count]) => `(${why}: ${count})`).join(' ')}`
}

/** After a collection would be best; the least of a few looks comes near. */
async function heapMegabytes(): Promise<number> {
  const looks: number[] = []
  for (let look = 0; look < 5; look++) {
    const answer = await fetch(`${service.url}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } })
    const used = /^nodejs_heap_size_used_bytes (\S+)/m.exec(await answer.text())?.[1]
    looks.push(Number(used) / 2 ** 20)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return Math.round(Math.min(...looks))
}

function openFiles(): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
